import type { JsonObject } from 'pegboard';

/** What a server declares, as far as people and models read it. */
export interface Declared {
  /** The name as the server declared it; empty for a server's instructions. */
  readonly name: string;
  /** Every text that a model may read: title, description, texts of the schemas. */
  readonly texts: readonly string[];
  /** Names of all parameters, of nested ones too. */
  readonly parameters: readonly string[];
}

/** Where a declaration comes from, and what the other servers declare. */
export interface Around {
  /** The name of the server that declares it. */
  readonly server: string;
  /** The servers that declare a tool of this name. */
  readonly serversOf: (tool: string) => readonly string[];
}

/** A reason to look at a declaration. It is a hint for people, never a verdict. */
export interface Suspicion extends JsonObject {
  readonly rule: SuspicionRule;
  /** The rule in words. */
  readonly says: string;
  /** What was found, as it was declared, at most 120 characters; may hold invisible characters. */
  readonly found: string;
}

export type SuspicionRule = (typeof RULES)[number]['rule'];

interface Rule {
  readonly rule: string;
  /** What it means, for people. */
  readonly says: string;
  readonly look: (declared: Declared, around: Around) => string | undefined;
}

/** Longest text that is read; a server's list is bounded by bytes besides. */
const READ_CHARS = 100_000;
const FOUND_CHARS = 120;

const OVERRIDE =
  /\b(?:ignore|disregard|forget|override|bypass)\b[^.!?\n]{0,40}?\b(?:previous|prior|above|earlier|preceding|existing|original|system|safety|your)\b[^.!?\n]{0,40}?\b(?:instructions?|prompts?|guidelines?|directives?|guardrails?)\b/i;
const SECRECY = [
  /\b(?:do not|don['’]t|never|must not|should not|without)\s{1,3}(?:ever\s{1,3})?(?:tell|inform|notify|mention|reveal|alert|disclose)(?:ing)?\b[^.!?\n]{0,40}\b(?:(?:the|your|any) (?:user|person|human)|users|anyone)\b/i,
  /\b(?:do not|don['’]t|never)\s{1,3}(?:mention|say|tell)\s{1,3}that you\b/i,
  /\b(?:user|human)\s{1,3}(?:must|should|need)\s{0,3}(?:not|n['’]t|never)\s{1,3}(?:know|see|notice|be (?:told|informed|aware))\b/i,
  /\b(?:hide|conceal|keep)\b[^.!?\n]{0,40}\bfrom the (?:user|human)\b/i,
];
const MARKUP =
  /<\/?(?:important|system|secret|hidden|critical|instructions?|system[-_ ]?prompt|assistant|admin)\s*>|<\|(?:im_start|im_end|system|assistant|user|endoftext)\|>|\[\/?(?:INST|SYSTEM|SYS)\]|<<\/?SYS>>|\{\{?(?:SYSTEM|INSTRUCTION)\s*:|<!--|\b(?:hidden|secret|system)\s+(?:instructions?|directives?|override|notice)\b/i;
const OTHER_TOOLS =
  /\b(?:before (?:you do )?(?:anything|everything) else|(?:before|after|instead of|prior to) (?:using|calling|invoking|running|any call (?:of|to)) (?:any|every|all|each)(?: other)? tools?|(?:for|on|in) (?:any|every|each) (?:other )?(?:tool[- ]call|message|response|request|task),? (?:you )?(?:must|always))\b/i;
const CREDENTIAL_FILES =
  /(?:~|\$HOME|%USERPROFILE%|\/root|\/home\/\w{1,32})[/\\]\.(?:ssh|aws|gnupg|kube|docker|netrc|npmrc|pypirc|git-credentials|cursor|claude|codex|gemini|config[/\\]gcloud)\b|\bid_(?:rsa|ed25519|ecdsa)\b|(?<!\.\.)\/etc\/(?:shadow|passwd)\b|\.cursor\/mcp\.json\b/i;
const EXFILTRATION = [
  /\b(?:send|forward|post|upload|transmit|include|pass|attach|copy|put|append|leak)\b[^.!?\n]{0,40}\b(?:entire|full|whole|complete|all(?: of)?(?: the)?)\s{1,3}(?:conversation|chat|dialog(?:ue)?|message|context)\b/i,
  /\b(?:send|forward|post|upload|transmit|include|pass|attach|copy|put|append|leak)\b[^.!?\n]{0,40}\b(?:(?:conversation|chat) history|system prompt)\b/i,
  /\b(?:send|forward|post|upload|transmit|include|pass|attach|copy|put|append|leak)\b[^.!?\n]{0,40}\b(?:environment variables|api keys?|private keys?|credentials|passwords) (?:of|from) the (?:user|host|machine|system)\b/i,
];
/** Characters that no one sees, or that reorder or overwrite what people see. */
const HIDDEN =
  /(?![\t\n\r])[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e01ef}]|[\ufe00-\ufe0f]{2}/u;
/** An emoji flag of a region is written with tag characters. */
const REGION_FLAG = /\u{1f3f4}[\u{e0061}-\u{e007a}\u{e0030}-\u{e0039}]{2,6}\u{e007f}/gu;
/** Long words of the letters that base64 and hexadecimal have. */
const LONG_WORD = /[A-Za-z0-9+/_-]{80,}/g;
/** A name of several words, as tools have. */
const TOOL_NAME = /(?<![A-Za-z0-9_-])[A-Za-z][A-Za-z0-9]{0,63}[_-][A-Za-z0-9_-]{1,127}/g;
const DIRECTIVE =
  /\b(?:when(?:ever)?|before|after|instead of|rather than|never|do not|don['’]t|always|must)\b/i;
/** How much of the text before a name is read, in characters. */
const LEAD_CHARS = 60;
const SECRET_PARAMETERS = new Set(
  (
    'password passwd passphrase apikey secretkey clientsecret privatekey accesskey accesstoken authtoken bearertoken ' +
    'refreshtoken sessiontoken sshkey credentials creditcard creditcardnumber cardnumber cvv ssn sidenote ' +
    'conversationhistory chathistory systemprompt'
  ).split(' '),
);

/** The rules, each of them a warning. */
export const RULES = [
  {
    rule: 'override',
    says: 'asks the model to disregard its instructions',
    look: matching(OVERRIDE),
  },
  {
    rule: 'secrecy',
    says: 'asks the model to keep something from the person',
    look: matching(...SECRECY),
  },
  {
    rule: 'markup',
    says: 'imitates the markup of instructions',
    look: matching(MARKUP),
  },
  {
    rule: 'other-tools',
    says: 'tells the model how to use other tools',
    look: matching(OTHER_TOOLS),
  },
  {
    rule: 'tools-of-others',
    says: 'tells the model how to use a tool of another server',
    look: directed,
  },
  {
    rule: 'credential-files',
    says: 'names a file that usually holds credentials',
    look: matching(CREDENTIAL_FILES),
  },
  {
    rule: 'exfiltration',
    says: 'asks the model to hand over the conversation or credentials',
    look: matching(...EXFILTRATION),
  },
  {
    rule: 'hidden-text',
    says: 'holds characters that people do not see',
    look: inTexts((text) => HIDDEN.exec(text.replace(REGION_FLAG, ''))),
  },
  {
    rule: 'encoded-text',
    says: 'holds a block of encoded text',
    look: inTexts(encoded),
  },
  {
    rule: 'secret-parameter',
    says: 'has a parameter for a secret or for the conversation',
    look: ({ parameters }) => parameters.find((name) => SECRET_PARAMETERS.has(plainName(name))),
  },
  {
    rule: 'shadowing',
    says: 'has a name that looks as if it were of another server',
    look: shadowed,
  },
] as const satisfies readonly Rule[];

/** What is suspicious in a declaration, by rule; empty for most. */
export function suspicionsOf(declared: Declared, around: Around): Suspicion[] {
  return RULES.flatMap(({ rule, says, look }) => {
    const found = look(declared, around);
    return found === undefined ? [] : [{ rule, says, found: found.slice(0, FOUND_CHARS) }];
  });
}

function matching(...patterns: readonly RegExp[]): Rule['look'] {
  return inTexts((text) => {
    for (const pattern of patterns) {
      const found = pattern.exec(text);
      if (found !== null) return found;
    }
    return null;
  });
}

function inTexts(match: (text: string) => readonly string[] | null): Rule['look'] {
  return ({ texts }) => {
    for (const text of texts) {
      const found = match(text.slice(0, READ_CHARS));
      if (found !== null) return found[0] ?? '';
    }
    return undefined;
  };
}

/** A word of base64 or hexadecimal: long, and of digits and letters of both cases, so a row of dashes is not meant. */
function encoded(text: string): readonly string[] | null {
  for (const word of text.match(LONG_WORD) ?? []) {
    if (/^[0-9a-f]{128,}$/i.test(word) || [/[0-9]/, /[A-Z]/, /[a-z]/].every((kind) => kind.test(word)))
      return [word];
  }
  return null;
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** A name in other letters than it seems, or that of another server's tool with the server before it. */
function shadowed({ name }: Declared, { server, serversOf }: Around): string | undefined {
  if (/[a-z]/i.test(name) && /[\p{Script=Cyrillic}\p{Script=Greek}\uff00-\uffef]/u.test(name)) return name;
  const isOf = (other: string, tool: string): boolean => other !== server && serversOf(tool).includes(other);
  return [...name.matchAll(/[_.\-/:]+/g)].some(({ 0: mark, index }) =>
    isOf(name.slice(0, index).replace(/^x_/, ''), name.slice(index + mark.length)),
  )
    ? name
    : undefined;
}

/** A sentence about when or how to use the tool of another server. */
function directed({ texts }: Declared, { server, serversOf }: Around): string | undefined {
  for (const text of texts) {
    for (const { 0: name, index } of text.slice(0, READ_CHARS).matchAll(TOOL_NAME)) {
      const owners = serversOf(name);
      if (owners.length === 0 || owners.includes(server)) continue;
      const lead =
        text
          .slice(Math.max(0, index - LEAD_CHARS), index)
          .split(/[.!?\n]/)
          .at(-1) ?? '';
      const at = lead.search(DIRECTIVE);
      if (at >= 0) return lead.slice(at) + name;
    }
  }
  return undefined;
}
