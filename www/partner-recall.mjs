// What the offline partner finds in the messages it was sent: facts the user told about themselves, and who
// said what. It answers from `context` alone; where the budget has cut something off, it says that it was not sent.

/** @returns {string | undefined} an answer, when `said` asks for something that was said before */
export function recall(context, said) {
  for (const [pattern, answer] of QUESTIONS) {
    const asked = pattern.exec(said);
    if (asked) return answer(context, asked);
  }
  return undefined;
}

// No `i` flag: further words belong to the name only with a capital letter (“Ada Lovelace and I …”).
const NAME = /\b(?:[Mm]y name is|[Mm]y name['’]s|I am called|I['’]m called|[Cc]all me)\s+(\p{L}[\p{L}\p{M}'’-]*(?:\s+\p{Lu}[\p{L}\p{M}'’-]+){0,2})/u;

/** The name that `text` gives, if it gives one. */
export function nameIn(text) {
  return NAME.exec(text)?.[1];
}

const NOT_SENT = 'not in what I was sent for this reply';

const QUESTIONS = [
  [/\b(?:what(?:['’]s| is) my name|who am I|do you (?:know|remember) my name)\b/iu, (context) => {
    const name = newest(context, nameIn);
    return name ? `Your name is ${name}: you told me earlier.` : `You have not told me your name, or it is ${NOT_SENT}.`;
  }],
  [/\bwhat did I (?:say|tell you|write|ask)(?: you)? first\b|\bmy first (?:message|words)\b/iu, (context) => {
    const first = users(context)[0];
    return first === undefined ? 'Nothing yet: this is the first thing I hear from you.' : `The first thing you said, of all I was sent, is: “${quote(first)}”`;
  }],
  [/\bwhat did I (?:just )?(?:say|tell you|write|ask)(?: you)?(?: last| before(?: that)?| just now)?\s*\?*$/iu, (context) => {
    const last = users(context).at(-1);
    return last === undefined ? 'Nothing yet: this is the first thing I hear from you.' : `Just before this you said: “${quote(last)}”`;
  }],
  [/\bwhat did you (?:just )?(?:say|tell me|answer)(?: me)?(?: last| before| first| just now)?\s*\?*$/iu, (context, [asked]) => {
    const mine = context.filter((message) => message.role === 'assistant').map((message) => message.content);
    const found = /first/iu.test(asked) ? mine[0] : mine.at(-1);
    return found === undefined ? 'I have not said anything yet.' : `I said: “${quote(found)}”`;
  }],
  [/\b(?:what did (I|you) (?:say|tell (?:you|me)|mention) about|did (I|you) (?:mention|say anything about|talk about)|do you remember) (.+?)\s*\?*$/iu, about],
  [/\bwhat(?:['’]s| is| are) my ([\p{L}][\p{L} -]{0,40}?)\s*\?*$/iu, (context, [, thing]) => {
    const value = newest(context, (text) => after(text, `my ${escape(thing)} (?:is|are)`));
    return value ? `Your ${thing}: ${value}. You told me earlier.` : `You have not told me about your ${thing}, or it is ${NOT_SENT}.`;
  }],
  [/\bwhere do I (live|work|come from)\b/iu, (context, [, what]) => {
    const verb = what === 'come from' ? '(?:come|am) from' : `${what} (?:in|at|near|for)`;
    const place = newest(context, (text) => after(text, `I ${verb}`));
    const answer = what === 'come from' ? `You come from ${place}` : `You ${what} in ${place}`;
    return place ? `${answer}: so you told me.` : `You have not told me where you ${what}, or it is ${NOT_SENT}.`;
  }],
  [/\bwhat do I (like|love|hate|need|want)\b/iu, (context, [, verb]) => {
    const thing = newest(context, (text) => after(text, `I ${verb}`));
    return thing ? `You said that you ${verb} ${thing}.` : `You have not told me what you ${verb}, or it is ${NOT_SENT}.`;
  }],
  [/\b(?:how much|what)(?: else)? do you (?:remember|know)(?: about me| of this)?\s*\?*$/iu, (context) => {
    const mine = users(context);
    if (mine.length === 0) return 'Nothing yet: I was sent no earlier messages.';
    return `I was sent ${context.length} earlier messages, ${mine.length} of them yours. The first: “${quote(mine[0])}” The last: “${quote(mine.at(-1))}”`;
  }],
];

/** Who said something about a thing: the newest message that names it. */
function about(context, [, direct, asked, thing]) {
  const who = direct ?? asked;
  const needle = thing.toLowerCase().replace(/^(?:my|your|the|a|an)\s+/u, '');
  const role = who === undefined ? undefined : who.toLowerCase() === 'i' ? 'user' : 'assistant';
  // A question about the thing is not what was said about it.
  const found = context.findLast(
    (message) => (role === undefined || message.role === role) && message.content.toLowerCase().includes(needle) && !message.content.trimEnd().endsWith('?'),
  );
  if (!found) return `I find nothing about that; it is ${NOT_SENT}.`;
  return `${found.role === 'user' ? 'You' : 'I'} said: “${quote(found.content)}”`;
}

function users(context) {
  return context.filter((message) => message.role === 'user').map((message) => message.content);
}

/** What `find` finds in the newest of the user's messages that has it: the latest word counts. */
function newest(context, find) {
  for (const text of users(context).reverse()) {
    const found = find(text);
    if (found) return found;
  }
  return undefined;
}

/** The rest of the clause after `phrase`: up to a stop, or to where the speaker begins anew. */
function after(text, phrase) {
  return new RegExp(`\\b${phrase} (.+?)(?=[.!?;,](?:\\s|$)|\\n|$| (?:and|but) (?:I|my)\\b)`, 'iu').exec(text)?.[1].trim();
}

function escape(text) {
  return text.replace(/[.*+?^${}()|[\]\\/]/gu, '\\$&');
}

function quote(text) {
  const line = text.trim().replace(/\s+/gu, ' ');
  return line.length <= 160 ? line : `${line.slice(0, 159).trimEnd().toWellFormed()}…`;
}
