/** Tools of both askers that ask the client, with the parameters of the question about a name. */
export const ASKED = {
  form: (name: string) => ({
    message: name,
    requestedSchema: {
      type: 'object' as const,
      properties: { who: { type: 'string' as const } },
      required: ['who'],
    },
  }),
  url: (name: string) => ({ message: name, url: `https://asker.test/${name}` }),
  sample: (name: string) => ({
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text: name } }],
    maxTokens: 9,
  }),
};

/** Arguments of every tool of the askers. */
export const ASKER_INPUT = {
  type: 'object' as const,
  properties: { name: { type: 'string' as const } },
  required: ['name'],
};
