// The partner that answers when no model server is set: rules, in the manner of Weizenbaum's ELIZA, and a
// memory that is nothing but the messages it is given. It keeps no state and uses no chance: the same context
// and the same text give the same reply, so what it recalls is exactly what the history engine handed over.
import { recall, nameIn } from './partner-recall.mjs';

/**
 * @param {readonly {role: string, content: string}[]} context the prior messages, oldest first
 * @param {string} text what the user says now
 */
export function replyTo(context, text) {
  const said = text.trim().replace(/\s+/gu, ' ');
  return recall(context, said) ?? greet(context, said) ?? reflect(context, said);
}

function greet(context, said) {
  const name = nameIn(said);
  if (name) return `Nice to meet you, ${name}. What is on your mind?`;
  if (/^(hi|hello|hey|good (morning|afternoon|evening))\b/iu.test(said)) {
    const known = knownName(context);
    if (known) return `Hello again, ${known}. Shall we go on where we were?`;
    return 'Hello. I am a small program with a few rules, and I run in this page without any network. What shall we talk about?';
  }
  if (/^(bye|goodbye|good night|see you)\b/iu.test(said)) {
    return 'Goodbye. This conversation stays in your browser; come back to it whenever you like.';
  }
  if (/^(thanks|thank you)\b/iu.test(said)) return 'You are welcome.';
  if (/\b(who|what) are you\b|\bwhat can you do\b|^help\b/iu.test(said)) {
    return 'I am a handful of rules, not a model. Tell me something about yourself and ask for it later: “what is my name?”, “what did I say first?”, “what did I say about …?”. I only know what I am sent, and the panel of the next request shows exactly that.';
  }
  return undefined;
}

function knownName(context) {
  for (const { role, content } of context.toReversed()) {
    const name = role === 'user' ? nameIn(content) : undefined;
    if (name) return name;
  }
  return undefined;
}

/** Each rule: what it hears, and the replies it takes in turn; `$1` is what was heard, seen from the other side. */
const RULES = [
  [/\bI (?:need|want) (.+)/iu, ['What would it mean to you to have $1?', 'Why do you want $1?', 'Suppose you had $1: what then?']],
  [/\bI (?:feel|am feeling) (.+)/iu, ['When do you usually feel $1?', 'What makes you feel $1?', 'Tell me more about feeling $1.']],
  [/\bI (?:can['’]t|cannot) (.+)/iu, ['What would it take for you to $1?', 'What happens when you try to $1?']],
  [/\bI (?:am|['’]m) (.+)/iu, ['How long have you been $1?', 'How do you feel about being $1?', 'Did you come to me because you are $1?']],
  [/\bI (?:think|believe|guess) (?:that )?(.+)/iu, ['What makes you think that $1?', 'Are you quite sure that $1?']],
  [/\bI (?:like|love|enjoy) (.+)/iu, ['What do you like most about $1?', 'How did you come to like $1?']],
  [/\bI (?:hate|dislike|fear) (.+)/iu, ['What is it about $1?', 'Was it always so with $1?']],
  [/\bI (?:remember|recall) (.+)/iu, ['What else does $1 bring to mind?', 'Why does $1 come up now?']],
  [/\bbecause (.+)/iu, ['Is that the only reason?', 'If $1, what else must be true?']],
  [/\bmy (mother|father|sister|brother|wife|husband|partner|son|daughter|child|children|family|friend)\b/iu, ['Tell me more about your $1.', 'What comes to mind first when you think of your $1?']],
  [/\b(?:dream|dreamt|dreamed) (?:of|about|that) (.+)/iu, ['What does $1 suggest to you?', 'Did $1 ever happen while you were awake?']],
  [/^(?:can|could|would|will) you (.+)/iu, ['What would change if I could $1?', 'I have only a few rules. Would you $1 yourself?']],
  [/^why (?:don['’]t|do not) you (.+)/iu, ['Perhaps I will $1 in time. Should I?', 'Do you want me to $1?']],
  [/^why (.+)/iu, ['What answer would please you most?', 'Have you asked yourself that before?']],
  [/\byou are (.+)/iu, ['What makes you say that I am $1?', 'Would you like me to be $1?']],
  [/^(?:yes|yeah|sure|of course)\b/iu, ['You seem certain. Go on.', 'I see. And then?']],
  [/^(?:no|nope|never)\b/iu, ['Why not?', 'Are you saying no to be on the safe side?']],
  [/\b(?:sorry|apologi[sz]e)\b/iu, ['There is nothing to be sorry for.']],
  [/\?$/u, ['What do you think yourself?', 'Why do you ask?', 'What would it help you to know that?']],
];

const FALLBACKS = ['Please go on.', 'Tell me more about that.', 'What does that bring to mind?', 'And how do you feel about it?'];

function reflect(context, said) {
  const turns = context.filter((message) => message.role === 'user').length;
  for (const [pattern, replies] of RULES) {
    const heard = pattern.exec(said);
    if (!heard) continue;
    const phrase = turnRound((heard[1] ?? '').replace(/[.!?…]+$/u, ''));
    // A function as the replacement: `$&` in what the user typed is text, not a pattern.
    return replies[turns % replies.length].replace('$1', () => phrase);
  }
  // Now and then, return to something said before: a partner that only echoes seems not to listen.
  const earlier = context.filter((message) => message.role === 'user' && message.content.length > 20);
  if (earlier.length > 0 && turns % 3 === 2) {
    return `Earlier you said: “${shorten(earlier[turns % earlier.length].content)}” Does this have to do with that?`;
  }
  return FALLBACKS[turns % FALLBACKS.length];
}

const OTHER_SIDE = new Map(Object.entries({
  i: 'you', me: 'you', my: 'your', mine: 'yours', myself: 'yourself', am: 'are', "i'm": 'you are', "i've": 'you have',
  "i'd": 'you would', "i'll": 'you will', you: 'I', your: 'my', yours: 'mine', yourself: 'myself', "you're": 'I am',
}));

/** “my work and you” as the other side says it: “your work and I”. */
function turnRound(phrase) {
  return phrase.replace(/[\p{L}'’]+/gu, (word) => OTHER_SIDE.get(word.toLowerCase().replace('’', "'")) ?? word);
}

function shorten(text) {
  const line = text.trim().replace(/\s+/gu, ' ');
  return line.length <= 90 ? line : `${line.slice(0, 89).trimEnd().toWellFormed()}…`;
}
