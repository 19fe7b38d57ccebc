/** @type {import('pegboard').Plugin} */
export const plugin = {
  name: 'rename',
  api: 1,
  configSchema: {
    type: 'object',
    additionalProperties: false,
    required: ['names'],
    properties: {
      names: {
        description: 'Name of a tool → the name that clients find and call it by.',
        type: 'object',
        additionalProperties: { type: 'string', pattern: '^[\\w./-]{1,128}$' },
      },
    },
  },
  check({ names }) {
    const taken = Object.values(names).filter((name, at, all) => all.indexOf(name) !== at);
    return taken.map((name) => ({
      path: ['names'],
      message: `two tools are named ${name}; name one of them otherwise`,
    }));
  },
  apply(scope) {
    scope.tap('onToolRegister', (tool) => {
      const { names } = scope.config;
      return Object.hasOwn(names, tool.name) ? { ...tool, name: names[tool.name] } : tool;
    });
  },
};
