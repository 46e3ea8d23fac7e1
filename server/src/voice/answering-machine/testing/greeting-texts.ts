/** What is said when a call is answered. Each half has its own words: one to tune by, one to measure by. */
export interface GreetingText {
  kind: "short answer" | "long answer" | "business" | "voicemail";
  /** Sentences, with the pause before each but the first in milliseconds. */
  said: readonly (string | number)[];
}

const short = (...said: (string | number)[]): GreetingText => ({ kind: "short answer", said });
const long = (...said: (string | number)[]): GreetingText => ({ kind: "long answer", said });
const business = (...said: (string | number)[]): GreetingText => ({ kind: "business", said });
const voicemail = (...said: (string | number)[]): GreetingText => ({ kind: "voicemail", said });

export const tuningTexts: readonly GreetingText[] = [
  short("Hello?"),
  short("Yeah?"),
  short("Hello, this is Mark."),
  short("Good morning."),
  short("Hi, who is this?"),
  short("Yes, speaking."),
  short("Hello?", 1_400, "Hello?"),
  short("Anderson."),
  long("Hello, hello? Is anybody there?"),
  long("Hi, hang on a second, I just got in the car."),
  long("Yes, this is Patricia, who am I speaking with?"),
  long("Hello?", 350, "Yes, this is she."),
  business("Thank you for calling Green Valley Dental, this is Amy."),
  business("Joe's Pizza, how can I help you?"),
  business("Good afternoon, front desk, this is Daniel speaking."),
  voicemail(
    "Hi, you've reached the voicemail of Tom Baker.",
    350,
    "I can't come to the phone right now, so please leave a message after the tone.",
  ),
  voicemail(
    "Your call has been forwarded to an automated voice messaging system.",
    400,
    "The person you are trying to reach is not available.",
  ),
  voicemail("Hey, it's Jenny.", 300, "Leave me a message and I'll call you back as soon as I can. Thanks."),
  voicemail(
    "Hello.",
    450,
    "You have reached the Miller family. We are not at home at the moment, but your call is important to us.",
  ),
  voicemail(
    "You've reached 4 1 5, 5 5 5, 0 1 2 3.",
    300,
    "Please leave your name and number, and we will return your call.",
  ),
  voicemail("We're sorry, no one is available to take your call.", 350, "Please leave a message."),
  voicemail(
    "Thank you for calling Harbor Insurance. Our office is now closed. Our hours are nine to five, Monday through Friday.",
  ),
  voicemail("Please leave a message after the beep."),
];

export const measuringTexts: readonly GreetingText[] = [
  short("Hello."),
  short("Hi."),
  short("Yes?"),
  short("Hello, Susan speaking."),
  short("Good evening."),
  short("Hey, what's up?"),
  short("Hello?", 1_600, "Hello, hello?"),
  short("This is Robert."),
  long("Hello, who's calling, please?"),
  long("Hi there, sorry, can you hold on for one moment?"),
  long("Yeah, hi, I was just about to call you back."),
  long("Hello?", 400, "Can you hear me?"),
  business("Sunrise Motors, this is Kevin, how may I direct your call?"),
  business("Law offices of Grant and Moore."),
  business("Thanks for calling City Hardware, Linda speaking."),
  voicemail(
    "Hello, this is Michael Chen.",
    400,
    "I'm either on another call or away from my desk. Please leave a detailed message and I'll get back to you.",
  ),
  voicemail(
    "The number you have dialed is not available right now.",
    350,
    "At the tone, please record your message.",
  ),
  voicemail("Hi, this is Laura.", 350, "Sorry I missed you. Leave a message, and have a great day."),
  voicemail("Hi.", 500, "We can't get to the phone right now. You know what to do, so do it after the beep."),
  voicemail(
    "You have reached 2 1 2, 5 5 5, 0 1 4 7.",
    300,
    "No one is here to answer your call. When you have finished recording, you may hang up.",
  ),
  voicemail(
    "Sorry, I can't take your call at the moment.",
    300,
    "Please try again later, or leave a message.",
  ),
  voicemail(
    "Welcome to Northside Family Clinic. If this is an emergency, please hang up and dial nine one one.",
    400,
    "To leave a message, stay on the line.",
  ),
  voicemail("Leave your message after the tone."),
];
