/**
 * What counts as "don't call me again", as data. All patterns are read against plain words (see plain-words.ts): lower case,
 * no accents, no apostrophes, ` , ` for commas. No pattern has an unbounded repetition of more than a space or a word.
 */
export interface Phrase {
  pattern: RegExp;
  /**
   * `act`: something the other side is told to do ("stop calling"), which can be said of others or of oneself.
   * `wish`: the speaker's own ("I want to opt out").
   */
  kind: "act" | "wish";
  /** Only for now, or only somewhere, is not for ever: "don't call me at work". */
  canBeForNow?: boolean;
}

const CONTACT =
  "(?:call|phone|ring|contact|dial|text|txt|message|msg|email|write|bother|disturb|harass|pester)";
const CONTACTING =
  "(?:call(?:ing|in)?|phoning|ringing|contacting|dialing|dialling|text(?:ing|s)?|txt(?:ing|s)?|msg(?:ing|s)?|messag(?:ing|es?)|emailing|spamming|bothering|harassing|pestering)";
const SWEAR = "(?:(?:fucking|fuckin|freaking|goddamn|damn|bloody|even|ever|again) )?";
const US =
  "(?:me|us|him|her|here|(?:at |on )?(?:this|my|our|the) (?:cell |mobile |phone |home |house )?(?:number|phone|house|line))";
/** Behind "call me" any other word would be a name: "don't call me Bob". */
const NO_NAME =
  "(?= ,|$| (?:again|any|anymore|ever|at|back|on|here|for|about|to|with|and|or|because|cause|cuz|please|pls|i|im|ill|if|we|were|you|thanks?|this|my|no|not|never|so|regarding|ok|okay|every|all|from|over|in|like|day|everyday|right|now|today|tonight|tomorrow|before|after|until|till|unless|during|while|when|stop|bye|goodbye|once|under|via|by))";
const LIST = "(?:lists?|database|system|records?|files?|contacts|crm|registry|campaign|rolodex|books)";
const MY_NUMBER =
  "(?:(?:my|our|this|the) (?:phone |cell |mobile )?(?:number|name|info|information|details|contact|data))";
const CONTACTS =
  "(?:(?:phone |sales |marketing |spam |robo ?)?(?:calls?|calling|texts?|txts?|msgs?|messages?|emails?|contact|communications?|solicitations?))";
const ANY =
  "(?:(?:any|more|anymore|further|your|these|those|the|this|all|all of|receive|get|be getting|getting|receiving) )";

const act = (pattern: string, canBeForNow = false): Phrase => ({
  pattern: new RegExp(`\\b(?:${pattern})(?![\\p{L}\\p{N}])`, "u"),
  kind: "act",
  canBeForNow,
});
const wish = (pattern: string): Phrase => ({ ...act(pattern), kind: "wish" });

export const PHRASES: readonly Phrase[] = [
  act(
    `(?:stop|quit|cease|discontinue|refrain from|desist from|knock off|lay off) ${SWEAR}(?:it )?(?:with )?${ANY}{0,3}(?:${CONTACTING}|sending|the (?:calls|texts))`,
  ),
  act(`(?:end|halt|cancel) (?:${ANY}{1,2}calls|${ANY}{0,2}(?:texts|messages|msgs|emails|communications?))`),
  act(`cease and desist`),
  act(
    `(?:dont|do not|must not|mustnt|shouldnt|should not|not to|never(?: to)?) (?:you )?${SWEAR}(?:try to )?${CONTACT} (?:${US}${NO_NAME}|again|any ?more|ever)`,
    true,
  ),
  act(`never ${SWEAR}${CONTACT}(?= ,|$)`),
  act("(?:dont|do not|never) (?:bother|keep|start) (?:calling|texting|contacting)"),
  act(
    "(?:no need|dont need|dont have|do not need|do not have) to (?:call|contact|text)(?: \\w+)? (?:again|any ?more|ever)",
  ),
  wish("not (?:allowed|permitted|authorized|welcome) to (?:call|contact|text)"),
  wish(
    `(?:nobody|no ?one|none of you)(?: \\w+){0,6} (?:calls?|contacts?|texts?|bothers?) (?:me|us|here|this number)(?: ever)? (?:again|any ?more)`,
  ),
  wish(
    "(?:want|like|need|have|get|want to have)(?: \\w+){0,2} (?:number|name|info|information|details|data) (?:to be |be )?(?:deleted|removed|erased|scrubbed|taken (?:off|out))",
  ),
  act(
    `(?:take|get|remove|delete) (?:my \\w+|\\w+|my \\w+ \\w+) (?:off|from)(?: of)? (?:your|this|the|that)(?: \\w+){0,2} (?:calling list|call list|lists?|database)`,
  ),
  wish(`enough (?:of|with) (?:the|your|these|all the|all these) ${CONTACTS}`),
  act(`(?:dont|do not) ${SWEAR}(?:call|phone|contact|ring|text)(?: back)?(?= ,|$| please| thanks?)`, true),
  act(
    `(?:dont|do not|never) ${SWEAR}(?:send|leave) (?:me|us|any|more|anything)(?: \\w+){0,3} (?:texts|messages|sms|again|any ?more)`,
  ),
  act(
    `(?:take|get|scratch|remove|delete|drop|strike|cross|pull|scrub|erase|purge) (?:(?:me|us|him|her)|${MY_NUMBER})(?: (?:off|out|from|of|immediately|completely|please|now|right|permanently|and))?(?: \\w+){0,4} ${LIST}`,
  ),
  act(`(?:take|get) (?:me|us|${MY_NUMBER}) off(?= ,|$| (?:of|please|this|that|your|the|right|now))`),
  act(
    `(?:remove|delete|unsubscribe|unlist|deregister) (?:me|us)(?= ,|$| (?:from|please|now|thanks?|thank|off|immediately|right|at|i|and))`,
  ),
  act(
    `(?:remove|delete|erase|lose|forget|scrub|block|unlist) (?:my|our|this) (?:phone |cell |mobile )?number`,
  ),
  act(`(?:put|add|place|get|include|register|mark)(?: \\w+){1,4} (?:do not|dont|no) (?:call|contact)`),
  wish(
    `(?:im|i am|were|we are|is|number is) (?:already )?on (?:the|a|your|every) (?:\\w+ )?(?:do not|dont|no) call`,
  ),
  wish(`(?:do not|dont) call (?:list|registry)(?= ,|$| please)`),
  wish(`no (?:more|further) ${CONTACTS}`),
  wish(
    `(?:dont|do not|no longer|never) (?:want|wanna|wish|care|like|need)(?: to)? (?:(?:hear|be hearing) from you|${ANY}{0,3}(?:phone |marketing |sales )?(?:calls|texts|messages|emails)\\b|(?:be|get|being|getting) (?:called|contacted|phoned|texted|bothered|disturbed|messaged)|(?:you|you guys|you people|anyone|anybody|your company) (?:to )?(?:call|calling|contact|contacting|text|texting|phone|phoning|bother|bothering)(?:ing)?)`,
  ),
  wish(
    `(?:rather|prefer|appreciate it if|like it if|wish) (?:that )?(?:you|they) (?:didnt|did not|dont|do not|never|wouldnt|would not|stopped|not) ?(?:${CONTACT}|${CONTACTING})`,
  ),
  wish(
    `(?:prefer|rather|like|want|ask|asked|asking|demand|request|requested) (?:to )?not (?:to )?be (?:called|contacted|phoned|texted|bothered)`,
  ),
  wish(
    `(?:want|like|need|ask|asking|asked|demand|request|requested|wish|love)(?: \\w+){0,2} (?:to be|to get|be|being|get) (?:taken off|removed|unsubscribed|deleted|off (?:your|this|the) ${LIST})`,
  ),
  wish(`want (?:off|out of) (?:of )?(?:this|your|the) ${LIST}`),
  wish(`unsubscribe|unsubscribing|opt(?:ing|ed)? ?(?:me |us )?out`),
  wish(
    `(?:revoke|revoking|withdraw|withdrawing|rescind|take back|pull|retract)(?: \\w+){0,2} (?:consent|permission|authorization|approval)`,
  ),
  wish(
    `(?:dont|do not|no longer) (?:have|give you) (?:my |our )?(?:consent|permission)(?: to (?:call|contact|text)| any ?more)`,
  ),
  wish(`if you (?:\\w+ )?${CONTACT} (?:me |us |here |this number )?(?:again|one more time|another time)`),
  wish(
    `(?:dont|do not|no longer) (?:give (?:you )?my )?consent to (?:\\w+ ){0,3}(?:${CONTACTS}|called|contacted|texted)`,
  ),
  act(`leave (?:me|us) (?:the \\w+ )?alone`),
  act(`(?:last|final) time you (?:\\w+ )?${CONTACT}`),
  // Spanish
  wish(
    `no (?:me|nos) (?:vuelv[aeo]n?s? a |sig[au]n? |esten? )?(?:llam(?:e|en|es|ar|arme|ando)|moleste[ns]?|contacte[ns]?|marque[ns]?|escriba[ns]?|mande[ns]?|hable[ns]? mas)\\b(?! (?:en este momento|ahora|hoy|manana|antes|despues|al trabajo|el|los|la|tan|a las|hasta))`,
  ),
  wish(
    `(?<!no )(?:dej[ae]n?|deje|paren?|par[ae]|basta) (?:ya )?de (?:llamar|molestar|escribir|contactar|marcar|mandar|enviar)\\w*`,
  ),
  wish(
    `no (?:quiero|queremos|deseo|deseamos) (?:que (?:me|nos) (?:\\w+ )?(?:llam|molest|contact|escrib)\\w+|(?:recibir )?(?:mas |sus )?(?:llamadas|mensajes)|(?:volver a )?(?:recibir|saber)|ser (?:llamad|contactad)\\w+)`,
  ),
  wish(`no (?:llame|llamen|llamar|escriban|marquen|llames) (?:mas|nunca|de nuevo|otra vez|a este numero)`),
  wish(
    `no (?:me |nos )?(?:envi|mand)(?:e|en|es) (?:nunca )?mas(?: (?:mensajes?|textos?|sms|correos?))?(?= ,|$| (?:por favor|gracias|a este numero))`,
  ),
  wish(
    `no vuelv[ao]n?s? a (?:llamar|contactar|molestar|escribir|marcar)(?:me|nos)?(?! (?:hoy|ahora|manana|antes|hasta))`,
  ),
  wish(`(?:ya )?no mas (?:llamadas|mensajes)`),
  wish(
    `(?:borr|quit|elimin|sac|saqu|retir|remuev)\\w*(?: \\w+){0,3} (?:de|mi|nuestro)(?: \\w+){0,2} (?:listas?|numero|registros?|base de datos)`,
  ),
  wish(
    `(?:darme|dame|deme|darnos) de baja|cancelar (?:mi )?suscripcion|revoco(?: \\w+){0,2} (?:consentimiento|permiso)`,
  ),
  // French
  wish(
    `(?:ne )?(?:m|me|nous) ?(?:re)?(?:appel|contact|telephon|derang|ecri)\\w* (?:plus|jamais)|ne (?:re)?(?:appelez|contactez|telephonez) plus|ne (?:veux|voulons|souhaite|desire) (?:plus|pas)(?: \\w+){0,3} d?(?:appel|contact|sms|message|telephon)\\w*`,
  ),
  wish(
    `(?:arret|cess)(?:ez|er|e|es) (?:de |d)(?:m|me |nous |n)?(?:appel|contact|telephon|harcel|derang|ecri|envoy)\\w*`,
  ),
  wish(
    `(?:retir|enlev|supprim|effac|ray|otez|sort)\\w*(?: ?moi| nous| mon numero| mes coordonnees)(?: \\w+){0,2} (?:liste|fichier|base)|supprimez mon numero`,
  ),
  wish(`(?:me )?desabonn\\w*|(?:me )?desinscri\\w*|plus d ?appels|je retire mon consentement`),
];

const list = (words: string) => new Set(words.split(" "));

/** Words that are an opt-out when nothing but politeness stands beside them. */
export const KEYWORDS = {
  call: list("stop stopall unsubscribe optout revoke remove arret arretez pare paren basta"),
  text: list(
    "stop stopall stopp stopp stoped cancel cancelled end quit revoke optout remove unsubscribe unsub arret arretez arreter pare parar alto baja cancelar detener borrar basta stop2end stop2quit stop2stop stop2cancel endall quitall cancelall removeall",
  ),
};
/** What may stand beside any keyword, and what only beside "stop", which has no other sense then. */
export const POLITENESS = list(
  "please pls plz now ok okay no nope yes yeah hey hi hello sir maam thanks thank you u , immediately right just kindly sorry all everything por favor gracias svp merci stp bitte thx ty already dude man lady bro and today me",
);
export const BESIDE_STOP = list(
  "i said say want need would could can will it this that you to must like id have told we guys people like the im am saying asking for enough fuck fucking goddamn damn hell god literally seriously from should gotta really do again ya let",
);
/** "Stop" halts the talk, not the calls: "stop, go back". "You said stop" is somebody else's. */
export const HALT =
  /\b(?:wait|hold on|go back|slow down|one (?:second|sec|moment|minute)|a (?:second|sec|moment|minute)|what did|say that|rewind|let me (?:finish|think|talk|speak))\b/;
export const SAID_BY_OTHERS =
  /\b(?:you|he|she|they|it|who|sign|that|doctor|boss|dad|mom|wife|husband) (?:just |always |only )?(?:said|say|says|told|tells|want|wants|asked)\b|\b(?:do|did|does|should|when|can|could|must|will|would) (?:i|we|he|she|it|they)\b|\b(?:dont|not|never|cant|wont|didnt|to let you|have to you|tell|tells|told|asked|want|wants|wanted) (?:me |us |him |her |them )?(?:to |have to |want to |want you to |wanna )?stop\b|\b(?:i|we|he|she|they|it|that) (?:will|would|can|could|must|have to|need to|want to|had to|wont|cant|dont|should|ll) stop\b|\b(?:no|full|pit|next|last|bus|first|one|non|short|rest|a|the|my|your|every) stop\b/;

/** "Stop" at the head of words about oneself, or at the end of a request: "STOP I don't know you", "not interested please stop". */
export const STOP_BESIDE_A_SENTENCE =
  /^(?:please |pls |no |ok )?(?:stop|stopall|unsubscribe)(?: please| now)?(?: ,)? (?:i|im|ive|who|not|no|we|were|wrong|you have|youve|youre|thanks|thank|this is|never|dont|do not)\b|(?:please|pls|plz|just|now|interested|number) stop(?: now| please| it| this)?$|\bstop (?:please|now|this)$/;

/** In front of an act: it is denied, or somebody else is asked for it, or the speaker means to do it. */
export const DENIED =
  /\b(?:dont|do not|didnt|did not|doesnt|does not|never|wont|will not|cant|cannot|can not|couldnt|wouldnt|shouldnt|isnt|not|without|no need to|havent|hasnt)(?: (?:ever|even|just|really|actually|yet))?(?: (?:say|said|ask|asked|tell|told|want|wanted|need|mean|meant|trying|going|like|wish)(?: you)?)?(?: (?:to|that))?(?: ever| please)?$/;
/** Nobody in this call is told: "why don't you stop calling" is a request, "my ex won't stop calling" a tale. */
export const ASKS_YOU =
  /\b(?:you|u|you (?:people|guys|all))(?: \w+)? (?:just |never |wont |will not |dont |do not |cant |didnt |ever |not ){1,2}$/;
export const SAID_TO_OTHERS =
  /\b(?:told|tell|tells|asked|asks|ask|begged|warned|ordered|advised|wants|want|wanted|said to|says to|got|made|make|let|helps?|helped|telling|asking) (?:me|him|her|us|them|(?:my|the|his|her|their) \w+|everyone|everybody|people|someone|somebody)(?: (?:to|not|please|that|i should|we should|should))*$/;
const OTHERS =
  "(?:i|ill|we|he|she|they|who|nobody|no one|my (?:kids?|son|daughter|ex|mom|dad|mother|father|wife|husband|boss|doctor|brother|sister|friends?))";
export const OWN_PLAN = new RegExp(
  `\\b(?:${OTHERS}|id|im)(?: (?:really|just|also|always|finally|should|will|would|might|could|can|had))?(?: (?:have to|need to|should|must|want to|wanted to|would like to|like to|gotta|going to|gonna|try to|trying to|tried to|decided to|decided|had to|used to|might|may|promised? to|promised|agreed to))?(?: \\w+ly)?$`,
);
export const ASKED_WHETHER =
  /\b(?:did|do) (?:you|i|he|she|they|we) (?:just )?(?:say|said|ask|mean|want|tell)\b(?: \w+){0,3}$/;

/** Behind an act that can be for now: bound to a time or a place. */
export const FOR_NOW =
  /^(?: \w+){0,3}? (?:before|after|until|till|unless|today|tomorrow|tonight|(?:right )?now|at (?!all|this number|my number|this phone|this line)|during|while|when|(?:this|so|too|that) (?:late|early)|in the|on (?:weekdays|weekends|holidays|the weekend|(?:sun|mon|tues|wednes|thurs|fri|satur)days?)|between|this (?:week|morning|afternoon|evening))\b/;
export const FOR_EVER =
  /\b(?:any ?more|ever|at all|never|again(?! (?:until|till|before|today|tonight|tomorrow|this)))\b/;
/** They want to be called elsewhere or later, so they do want to be called. */
export const CALL_ELSEWHERE =
  /\b(?<!\b(?:dont|not|never|stop|ever) )(?:call|ring|phone|try|use|reach) (?:me |us )?(?:(?:at|on) )?(?:my|our|the|his|her) (?:\w+ )?(?:cell|mobile|phone|office|work|home|house|wife|husband|son|daughter|other|new|landline|assistant|secretary|lawyer|number)\b(?! (?:again|any ?more|ever))|\b(?<!\b(?:dont|not|never|stop|ever) )call (?:me |us )?(?:back|later|instead|tomorrow|next)\b/;
