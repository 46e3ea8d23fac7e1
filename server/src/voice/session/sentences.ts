/** What the session has said on its own account, in the agent's voice. */
export const sentences = {
  optOutConfirmed: "Understood. We won't call this number again. Goodbye.",
  optOutFailed: "I'm sorry, I couldn't record that just now. Please tell us once more, or write to us.",
  connecting: "Of course. I'm connecting you with a colleague. One moment, please.",
  transferFailed: "I'm sorry, I couldn't reach a colleague just now. Is there something I can do for you?",
  timeIsUp: "I'm sorry, we have reached the end of the time for this call. Thank you, and goodbye.",
  cannotGoOn: "I'm sorry, I have to end our call here. Goodbye.",
  trouble: "I'm sorry, I'm having technical trouble and have to end this call. Goodbye.",
} as const;
