// The providers' own clients, each given a body of ours in the form that its calls take.

import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { MODEL } from './logs.mjs';

/**
 * For each API `send(body)`: hands a body, parsed, to the client and gives the text of the answer. `sent(body)` is what should
 * then have gone over the wire.
 *
 * @param {string} url of the server that stands for the APIs
 */
export function makeClients(url) {
  const openai = new OpenAI({ apiKey: 'none', baseURL: `${url}/v1`, maxRetries: 0 });
  const anthropic = new Anthropic({ apiKey: 'none', baseURL: url, maxRetries: 0 });
  const google = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: url } });
  return {
    'openai-chat': {
      send: async (body) => (await openai.chat.completions.create(body)).choices[0].message.content,
      sent: (body) => body,
    },
    'openai-responses': {
      send: async (body) => (await openai.responses.create(body)).output_text,
      sent: (body) => body,
    },
    'anthropic-messages': {
      send: async (body) => (await anthropic.messages.create(body)).content[0].text,
      sent: (body) => body,
    },
    gemini: {
      send: async (body) => (await google.models.generateContent(geminiCall(body))).text,
      // The client adds an empty configuration where none is given.
      sent: (body) => ({ generationConfig: {}, ...body }),
    },
  };
}

/** The client takes everything but the contents as its `config`. */
export function geminiCall({ contents, generationConfig, ...config }) {
  return { model: MODEL, contents, config: { ...config, ...generationConfig } };
}
