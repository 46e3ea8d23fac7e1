import { type Call, connect, type TranscriptLine, VoiceError } from "../../voice/src/index.ts";
import { ApiError, type DemoAgent, type EndedCall, type PrivateApi, privateApi } from "./private-api.ts";

const TOKEN = "outreach-operator-token";

function find<Kind extends HTMLElement>(id: string): Kind {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no ${id}.`);
  return element as Kind;
}

const page = {
  tokenForm: find<HTMLFormElement>("token-form"),
  token: find<HTMLInputElement>("token"),
  call: find("call"),
  agent: find<HTMLSelectElement>("agent"),
  stage: find("stage"),
  orb: find("orb"),
  state: find("state"),
  clock: find("clock"),
  you: find("level-you"),
  other: find("level-agent"),
  start: find<HTMLButtonElement>("start"),
  mute: find<HTMLButtonElement>("mute"),
  hangup: find<HTMLButtonElement>("hangup"),
  keypad: find("keypad"),
  keys: find("keys"),
  error: find("error"),
  talk: find("talk"),
  transcript: find("transcript"),
  empty: find("empty"),
  after: find("after"),
  summary: find("summary"),
  facts: find("facts"),
  recording: find("recording"),
  show: find("show"),
};

/** What a person reads in the place of the API's status. */
const STATES: Readonly<Record<string, string>> = {
  initiating: "Connecting …",
  initiated: "Connecting …",
  "in-progress": "You are connected",
  completed: "The call has ended",
  failed: "The call has failed",
  canceled: "The call was canceled",
};

/** The token comes in the fragment, which no browser sends anywhere, and goes from the address at once. */
function takeToken(): string | null {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    sessionStorage.setItem(TOKEN, given);
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem(TOKEN);
}

function showError(error: unknown): void {
  if (error instanceof ApiError && error.status === 401) {
    sessionStorage.removeItem(TOKEN);
    askForToken("This token isn't the service's. Look it up in admin.token again.");
    return;
  }
  const known = error instanceof VoiceError || error instanceof ApiError;
  page.error.textContent = known
    ? error.message
    : "Something in this page is wrong: see the browser's console.";
  page.error.hidden = false;
  if (!known) console.error(error);
}

function askForToken(problem?: string): void {
  page.call.hidden = page.talk.hidden = page.after.hidden = true;
  page.tokenForm.hidden = false;
  page.token.value = "";
  page.token.setCustomValidity(problem ?? "");
  if (problem) page.token.reportValidity();
  page.token.focus();
}

function showPhase(phase: "idle" | "connecting" | "live"): void {
  const focused = document.activeElement ?? document.body;
  page.stage.dataset.phase = phase;
  page.start.hidden = phase !== "idle";
  page.mute.hidden = page.keypad.hidden = phase !== "live";
  page.hangup.hidden = phase === "idle";
  page.agent.disabled = phase !== "idle";
  // What had the focus is hidden now, or was disabled: whoever goes by keyboard would begin at the top of the page again.
  if (focused === document.body || focused.closest("[hidden]"))
    (phase === "idle" ? page.start : page.hangup).focus();
}

function showLevels(you: number, agent: number): void {
  // Speech has a root mean square of a tenth or so: a square root fills the bar with it.
  page.you.style.transform = `scaleX(${Math.sqrt(you).toFixed(3)})`;
  page.other.style.transform = `scaleX(${Math.sqrt(agent).toFixed(3)})`;
  page.orb.style.transform = `scale(${(1 + 0.35 * Math.sqrt(agent)).toFixed(3)})`;
}

function addLine({ role, text, source, startMs }: TranscriptLine): void {
  const line = document.createElement("li");
  line.className = role;
  line.textContent = text;
  if (role !== "tool") {
    const small = document.createElement("small");
    small.textContent = `${minutes(startMs / 1000)}${source === "vad" ? " · heard, not understood: no speech-to-text is set up" : ""}`;
    line.append(small);
  }
  page.transcript.append(line);
  page.empty.hidden = true;
  page.transcript.scrollTop = page.transcript.scrollHeight;
}

function minutes(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}

async function showAfter(api: PrivateApi, agent: DemoAgent, callId: string): Promise<void> {
  const call: EndedCall = await api.endedCall(agent, callId);
  page.summary.textContent = call.summary ?? "";
  const facts: [string, string][] = [
    ["Outcome", (call.call_outcome ?? call.status).replaceAll("_", " ")],
    ["Duration", minutes(call.duration_seconds ?? 0)],
    ["Cost", `${call.cost_tokens ?? 0} tokens`],
  ];
  page.facts.replaceChildren(
    ...facts.map(([name, value]) => {
      const group = document.createElement("div");
      const term = document.createElement("dt");
      const description = document.createElement("dd");
      term.textContent = name;
      description.textContent = value;
      group.append(term, description);
      return group;
    }),
  );
  const recording = call.recording_url ? await api.recording(agent, callId) : null;
  if (recording) {
    const player = document.createElement("audio");
    player.controls = true;
    player.src = recording;
    page.recording.replaceChildren(player);
  }
  page.show.textContent = `All of it: npx outreach call show --org ${agent.organizationId} --call ${callId}`;
  page.after.hidden = false;
}

/** One call, from the click to its end. */
async function talk(api: PrivateApi, agent: DemoAgent): Promise<void> {
  const canceled = new AbortController();
  const cancel = () => canceled.abort();
  page.error.hidden = page.after.hidden = true;
  page.recording.replaceChildren();
  page.transcript.replaceChildren();
  page.empty.hidden = false;
  page.talk.hidden = false;
  page.clock.textContent = "0:00";
  page.state.textContent = "Connecting …";
  showPhase("connecting");
  page.hangup.addEventListener("click", cancel);
  let call: Call;
  let callId: string;
  try {
    const started = await api.startCall(agent);
    callId = started.id;
    const {
      access_token: accessToken,
      connect_url: connectUrl,
      ice_servers: iceServers,
    } = started.browser_session;
    call = await connect({ connectUrl, accessToken, iceServers, signal: canceled.signal });
  } catch (error) {
    page.state.textContent = "Ready when you are";
    showPhase("idle");
    if (!(error instanceof VoiceError && error.code === "canceled")) showError(error);
    return;
  } finally {
    page.hangup.removeEventListener("click", cancel);
  }

  const startedAt = performance.now();
  const clock = setInterval(() => {
    page.clock.textContent = minutes((performance.now() - startedAt) / 1000);
  }, 500);
  const hangUp = () => {
    page.hangup.disabled = true;
    void call.hangUp();
  };
  const toggleMute = () => {
    if (call.muted) call.unmute();
    else call.mute();
    page.mute.setAttribute("aria-pressed", String(call.muted));
    page.mute.textContent = call.muted ? "Unmute" : "Mute";
  };
  page.hangup.addEventListener("click", hangUp);
  page.mute.addEventListener("click", toggleMute);
  page.keys.replaceChildren(
    ...["1", "2", "3", "4", "5", "6", "7", "8", "9", "*", "0", "#"].map((digit) => {
      const key = document.createElement("button");
      key.type = "button";
      key.textContent = digit;
      key.onclick = () => call.sendDigit(digit);
      return key;
    }),
  );
  showPhase("live");
  page.state.textContent = STATES[call.state] ?? call.state;
  call.on("state", (state) => {
    page.state.textContent = STATES[state] ?? state;
  });
  call.on("level", ({ microphone, agent: loud }) => showLevels(microphone, loud));
  call.on("transcript", addLine);
  call.on("error", showError);
  const ended = await new Promise<{ state: string; reason: string }>((resolve) => call.on("ended", resolve));

  clearInterval(clock);
  page.hangup.removeEventListener("click", hangUp);
  page.mute.removeEventListener("click", toggleMute);
  page.hangup.disabled = false;
  page.mute.textContent = "Mute";
  page.mute.setAttribute("aria-pressed", "false");
  showLevels(0, 0);
  showPhase("idle");
  page.start.textContent = "Call again";
  page.state.textContent = ended.state === "failed" ? ended.reason : (STATES[ended.state] ?? ended.state);
  await showAfter(api, agent, callId).catch(showError);
}

async function open(token: string): Promise<void> {
  const api = privateApi(token);
  const agents = await api.agents();
  page.tokenForm.hidden = true;
  page.call.hidden = page.talk.hidden = false;
  const several = new Set(agents.map(({ organizationId }) => organizationId)).size > 1;
  page.agent.replaceChildren(
    ...agents.map((agent, at) => {
      const label = several ? `${agent.name} (${agent.organizationName})` : agent.name;
      return new Option(label, String(at));
    }),
  );
  page.start.disabled = agents.length === 0;
  if (agents.length === 0) {
    page.state.textContent = "There is no agent yet";
    page.error.textContent =
      "Create one first: npx outreach agent create --org ID --name NAME --system-prompt TEXT";
    page.error.hidden = false;
  }
  page.start.onclick = () => {
    const agent = agents[Number(page.agent.value)];
    if (agent) void talk(api, agent);
  };
}

page.tokenForm.addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem(TOKEN, page.token.value.trim());
  void open(page.token.value.trim()).catch(showError);
});
page.token.addEventListener("input", () => page.token.setCustomValidity(""));

const token = takeToken();
if (token === null) askForToken();
else void open(token).catch(showError);
