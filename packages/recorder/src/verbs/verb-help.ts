// What `--help` says about each verb besides its one line: what it does, its flags, examples, exit codes.

export type VerbHelp = {
  /** Paragraphs. */
  readonly about: readonly string[]
  /** Flag without its dashes → its value as the usage shows it, empty for a switch, and what it does. */
  readonly flags: Readonly<Record<string, readonly [value: string, text: string]>>
  readonly examples: readonly (readonly [line: string, text: string])[]
  /** When the verb ends with 1. */
  readonly fails: string
}

export const verbHelp = {
  join: {
    about: [
      'What the line of your team\'s page runs in your repository. It uses the ticket, which is good once and for 15 minutes: this laptop gets a gateway key and a log token of its own, kept in the git folder and readable by you alone. Then it does what "init" and "connect" do, without asking.',
      'If the answer was lost, the same line gives the same key and token again, in this repository alone.',
    ],
    flags: {
      tools: ['<a,b>|all', 'the tools to set up and to connect (default: those that are used here)'],
    },
    examples: [['join https://gateway.example.org/join/t/jt_…', 'as the page shows it']],
    fails: 'the ticket does not work, or a step of "init" or "connect" failed and says why',
  },
  init: {
    about: [
      'Sets up this repository, or brings it up to date: adds hooks to the settings of your AI tools, makes "git push" start the recorder, stores the log token for you alone, and checks it against the logbook. Running it again changes nothing.',
      'It prints what only you can do, such as trusting the hooks in Codex.',
    ],
    flags: {
      tools: ['<a,b>|all', 'the tools to set up (default: those that are used here)'],
      url: [
        '<logbook>',
        'address of the logbook (default: $FAIRGATE_LOGBOOK_URL, then what is stored, then it asks)',
      ],
      force: ['', 'take an address that does not answer as a logbook'],
      'token-stdin': ['', 'read the log token from standard input, for scripts'],
      subfolders: [
        '',
        'also put hooks of Claude Code and Gemini CLI into your own settings, for sessions that start in a subfolder',
      ],
      'dry-run': ['', 'show every change as a difference and write nothing'],
      yes: ['', 'do not ask before files are changed'],
    },
    examples: [
      ['init --url https://logs.example.org', 'asks for the log token, which stays hidden'],
      ['init --tools claude,codex --dry-run', 'shows what would be changed'],
      ['init --url https://logs.example.org --token-stdin --yes < token.txt', 'asks nothing'],
    ],
    fails: 'a settings file was left as it is, or the logbook refused the token',
  },
  connect: {
    about: [
      'Makes the AI tools of this repository call models through the gateway: asks for the gateway key, which stays hidden, and writes address, key and model into the settings of each tool. Then it proves it in four lines: the key, one small paid call, the hooks, and an entry that reaches the logbook.',
      'Settings of this repository are used where a tool reads them, and yours otherwise (Codex, the provider of pi). Files that hold the key are readable by you alone, and git ignores them. Running it again changes nothing; "disconnect" puts everything back.',
    ],
    flags: {
      tools: [
        '<a,b>|all',
        'claude, codex, gemini, copilot, opencode, qwen, pi (default: those that are used here)',
      ],
      gateway: [
        '<url>',
        'address of the gateway (default: $FAIRGATE_GATEWAY_URL, then what is stored, then it asks)',
      ],
      model: ['<name>', 'the model (default: the first of this key that answers)'],
      'key-stdin': ['', 'read the gateway key from standard input, for scripts ($FAIRGATE_KEY works too)'],
      'dry-run': ['', 'show every change as a difference, without the key, and write nothing'],
      yes: ['', 'do not ask before files are changed'],
    },
    examples: [
      ['connect --gateway https://gateway.example.org', 'asks for the key'],
      ['connect --tools claude,codex --model mm-2.5-flash', 'two tools, one model'],
      ['connect --gateway https://gateway.example.org --key-stdin --yes < key.txt', 'asks nothing'],
    ],
    fails: 'a line has no tick and says what to do, or a settings file was left as it is',
  },
  disconnect: {
    about: [
      'Puts the settings that "connect" changed back as they were, to the byte, also your own that all repositories share; a file that was changed since loses only our part. The gateway key is removed from this repository. Hooks stay.',
    ],
    flags: {
      'dry-run': ['', 'show every change as a difference, without the key, and write nothing'],
      yes: ['', 'do not ask before files are changed'],
    },
    examples: [['disconnect --dry-run', 'shows what would be changed']],
    fails: 'a file was left as it is',
  },
  run: {
    about: [
      'Starts a program with the address of the gateway, its key and the model in the environment, under the names that Copilot CLI, Claude Code, Gemini CLI, the SDKs of OpenAI, Anthropic and Google, and this recorder read. It needs "connect" first.',
    ],
    flags: {},
    examples: [
      ['run copilot', 'which reads its provider from nowhere else'],
      ['run -- python train.py', 'a program of yours with an SDK'],
    ],
    fails: 'it could not be started; otherwise it ends as the program does',
  },
  push: {
    about: [
      'What the pre-push hook of git runs: sends what waits, for two seconds at most ($FAIRGATE_PUSH_SECONDS sets another time). What is left is sent in the background for a minute, and what cannot be sent is kept for the next push.',
      'It prints one line at most and never stops the push.',
    ],
    flags: {},
    examples: [['push', 'by hand; "send" waits until everything is sent']],
    fails: 'never: it always ends with 0',
  },
  send: {
    about: [
      'Sends what waits, until nothing is left or the logbook says stop. Entries leave this machine only when the logbook has acknowledged them.',
    ],
    flags: {
      watch: ['', 'go on until interrupted'],
      every: ['<seconds>', 'pause of --watch, 1 to 86400 (default: 30)'],
      'retry-rejected': ['', 'try the entries again that the logbook refused'],
    },
    examples: [
      ['send', 'once, now'],
      ['send --watch --every 60', 'every minute, for those who rarely push'],
      ['send --retry-rejected', 'after the organisers have fixed something'],
    ],
    fails: 'entries are left, and the line says why',
  },
  status: {
    about: [
      'Shows for each tool whether it has our hooks, what it recorded last and which events never came; then what waits, was sent or was refused, and how the last sending went. It asks nobody but this machine.',
    ],
    flags: {},
    examples: [
      ['status', ''],
      ['status --json | jq .pending', 'how many entries wait'],
    ],
    fails: 'this is not a repository',
  },
  verify: {
    about: [
      'Reads the entries back from the logbook and compares them with those that it acknowledged here. Missing ones are sent again as the same bytes, so nothing is doubled.',
    ],
    flags: {
      'no-send': ['', 'compare only'],
      force: ['', 'send again although the logbook has none of what it once acknowledged'],
    },
    examples: [
      ['verify', 'once before the end of the competition'],
      ['verify --no-send --json', 'for scripts'],
    ],
    fails: 'acknowledged entries are missing in the logbook and could not be sent again',
  },
  logs: {
    about: [
      "Reads the team's entries back from the logbook and shows them by session and prompt: the newest session first, each from its beginning to its end. Times are those of this machine.",
      'On a terminal long texts are cut to its width and a long page goes through $PAGER (less). In a pipe the page is plain and whole.',
    ],
    flags: {
      limit: ['<n>', 'how many entries at most (default: 50)'],
      before: ['<time>', 'only entries before this: ISO 8601, or what the last page ended with'],
      event: ['<name>', 'only this event, such as Stop'],
      tool: ['<name>', 'only this tool: claude, cursor, codex, gemini, copilot or antigravity'],
      session: ['<id>', 'only sessions whose id begins or ends with this'],
      full: ['', 'whole texts, with the inputs and outputs of tools'],
    },
    examples: [
      ['logs', 'the last 50 entries'],
      ['logs --tool claude --limit 200', 'more, of one tool'],
      ['logs --session 6f1c2f0e --full', 'everything that was said in one session'],
      ['logs --event UserPromptSubmit --json | jq -r .items[].prompt', 'the prompts alone'],
    ],
    fails: 'the logbook cannot be reached, or refuses',
  },
  doctor: {
    about: [
      'Checks the installation piece by piece: the remote, the program, the hook of git, the hooks and the trust of each tool, the log token and the logbook; and what "connect" set up: the settings of each tool, the gateway key and the model.',
    ],
    flags: {
      test: ['', 'also run every hook once, with exactly the command of the tool, into a scratch folder'],
    },
    examples: [
      ['doctor --test', 'after "init", or when nothing is recorded'],
      ['doctor --json', 'for a report'],
    ],
    fails: 'something must be fixed',
  },
  uninstall: {
    about: [
      'Puts every file of this repository back as it was, to the byte, what "connect" wrote included; one that you have changed since loses only our part. Your own settings, which all repositories share, are put back by "disconnect". Entries that wait are kept, with the token to send them.',
    ],
    flags: {
      'dry-run': ['', 'show every change as a difference and write nothing'],
      purge: ['', 'also remove what was recorded here; refuses while entries have not been sent'],
      force: ['', 'with --purge: lose them'],
      yes: ['', 'do not ask before files are changed'],
    },
    examples: [
      ['uninstall --dry-run', 'shows what would be changed'],
      ['send && fairgate-recorder uninstall --purge', 'leaves nothing behind'],
    ],
    fails: 'a file was left as it is, or entries would be lost',
  },
  hook: {
    about: [
      'What AI tools call at each of their events, with their payload on standard input. It writes an entry into the git folder, prints nothing, uses no network and always ends with 0.',
      'You need not call it: "init" puts it into the settings of your tools, and "doctor --test" tries it.',
    ],
    flags: {},
    examples: [],
    fails: 'never: it always ends with 0, and failures are noted in ~/.fairgate/recorder.log',
  },
} satisfies Readonly<Record<string, VerbHelp>>

/** The flags that every verb has. */
export const commonFlags: VerbHelp['flags'] = {
  json: ['', 'print one JSON value instead of a page'],
  help: ['', 'show this page (-h)'],
}
