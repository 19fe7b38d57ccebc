// Generated from schemas/config/pins.schema.json by npm run tables.
export interface PinsConfig {
  /** What happens to what a server declares otherwise than accepted, unless its definition has pin: ignore
   *  looks at nothing, warn offers it and tells operators, hold continues with what was accepted, block takes
   *  it out. Hints that ask for more trust wait for an operator in all of them but ignore. One word for all, or
   *  an object with one for each kind; a kind that it does not name has warn. */
  readonly mode:
    | string
    | {
        /** The word for tools. */
        readonly tools?: 'ignore' | 'warn' | 'hold' | 'block';
        /** The word for prompts. */
        readonly prompts?: 'ignore' | 'warn' | 'hold' | 'block';
        /** The word for resources. */
        readonly resources?: 'ignore' | 'warn' | 'hold' | 'block';
        /** The word for resource templates. */
        readonly resourceTemplates?: 'ignore' | 'warn' | 'hold' | 'block';
        /** The word for the instructions for agents. */
        readonly instructions?: 'ignore' | 'warn' | 'hold' | 'block';
        /** The word for the name and title of the server. */
        readonly serverInfo?: 'ignore' | 'warn' | 'hold' | 'block';
      };
  /** What happens to what was never seen before: accept takes it as it is, ask takes it out until an operator
   *  accepts it. */
  readonly pinFirst: 'accept' | 'ask';
  /** Compressed bytes of what is accepted of one server. Of what is beyond, only the fingerprint is kept: it
   *  cannot be compared, and hold takes it out. */
  readonly maxTextBytes: number;
  /** Fingerprints of one server. Hints of what is beyond count for nothing, and hold and block take it out. */
  readonly maxPins: number;
}
