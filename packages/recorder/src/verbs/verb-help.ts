// Help texts of each verb besides its summary: description, flags, examples, exit codes.

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
      'The command from your team\'s page, to run in your repository. It uses the ticket, which works once within 15 minutes: this laptop gets its own gateway key and log token, stored in the git folder and readable only by you. Then it runs "init" and "connect" without asking.',
      'If the answer was lost, the same command returns the same key and token again, only in this repository.',
    ],
    flags: {
      tools: ['<a,b>|all', 'tools to set up and connect (default: those used here)'],
    },
    examples: [['join https://gateway.example.org/join/t/jt_…', 'as shown on the page']],
    fails: 'the ticket does not work, or a step of "init" or "connect" failed',
  },
  init: {
    about: [
      'Sets up this repository, or brings it up to date: adds hooks to the settings of your AI tools, makes "git push" start the recorder, stores the log token readable only by you, and checks it against the logbook. Running it again changes nothing.',
      'It prints what only you can do, such as trusting the hooks in Codex.',
    ],
    flags: {
      tools: ['<a,b>|all', 'tools to set up (default: those used here)'],
      url: ['<logbook>', 'logbook address (default: $FAIRGATE_LOGBOOK_URL, then the stored one, then ask)'],
      force: ['', 'accept an address that does not respond as a logbook'],
      'token-stdin': ['', 'read the log token from standard input, for scripts'],
      subfolders: [
        '',
        'also add hooks for Claude Code and Gemini CLI to your user settings, for sessions that start in a subfolder',
      ],
      'dry-run': ['', 'show all changes as a diff and write nothing'],
      yes: ['', 'change files without asking'],
    },
    examples: [
      ['init --url https://logs.example.org', 'ask for the log token (hidden)'],
      ['init --tools claude,codex --dry-run', 'show what would change'],
      ['init --url https://logs.example.org --token-stdin --yes < token.txt', 'asks nothing'],
    ],
    fails: 'a settings file was not changed, or the logbook refused the token',
  },
  connect: {
    about: [
      'Makes the AI tools of this repository call models through the gateway: asks for the gateway key (hidden), and writes address, key and model to the settings of each tool. Then it checks the connection in four lines: the key, one small paid call, the hooks, and an entry that reaches the logbook.',
      'It uses the settings of this repository if the tool reads them, otherwise your user settings (Codex, the provider of pi). Files with the key are readable only by you and ignored by git. Running it again changes nothing; "disconnect" restores everything.',
    ],
    flags: {
      tools: ['<a,b>|all', 'claude, codex, gemini, copilot, opencode, qwen, pi (default: those used here)'],
      gateway: ['<url>', 'gateway address (default: $FAIRGATE_GATEWAY_URL, then the stored one, then ask)'],
      model: ['<name>', 'model (default: the first one of this key that answers)'],
      'key-stdin': ['', 'read the gateway key from standard input, for scripts ($FAIRGATE_KEY works too)'],
      'dry-run': ['', 'show all changes as a diff, without the key, and write nothing'],
      yes: ['', 'change files without asking'],
    },
    examples: [
      ['connect --gateway https://gateway.example.org', 'asks for the key'],
      ['connect --tools claude,codex --model mm-2.5-flash', 'two tools, one model'],
      ['connect --gateway https://gateway.example.org --key-stdin --yes < key.txt', 'asks nothing'],
    ],
    fails: 'a check failed, or a settings file was not changed',
  },
  disconnect: {
    about: [
      'Restores the settings that "connect" changed byte for byte, including user settings shared by all repositories. From files changed since then, only our part is removed. Removes the gateway key from this repository. Hooks stay.',
    ],
    flags: {
      'dry-run': ['', 'show all changes as a diff, without the key, and write nothing'],
      yes: ['', 'change files without asking'],
    },
    examples: [['disconnect --dry-run', 'show what would change']],
    fails: 'a file was not changed',
  },
  run: {
    about: [
      'Starts a program with the address of the gateway, its key and the model in the environment, under the names that Copilot CLI, Claude Code, Gemini CLI, the SDKs of OpenAI, Anthropic and Google, and this recorder read. It needs "connect" first.',
    ],
    flags: {},
    examples: [
      ['run copilot', 'which reads its provider only from the environment'],
      ['run -- python train.py', 'your own program with an SDK'],
    ],
    fails: 'the program could not be started; otherwise its own exit code',
  },
  push: {
    about: [
      "Run by git's pre-push hook: sends waiting entries for at most two seconds (change with $FAIRGATE_PUSH_SECONDS). The rest is sent in the background for up to a minute; entries that cannot be sent are kept for the next push.",
      'It prints at most one line and never stops the push.',
    ],
    flags: {},
    examples: [['push', 'by hand; "send" waits until everything is sent']],
    fails: 'never: it always exits with 0',
  },
  send: {
    about: [
      'Sends waiting entries until none are left or the logbook asks to stop. Entries are removed from the queue only after the logbook acknowledges them.',
    ],
    flags: {
      watch: ['', 'repeat until interrupted'],
      every: ['<seconds>', 'pause of --watch, 1 to 86400 (default: 30)'],
      'retry-rejected': ['', 'retry entries that the logbook refused'],
    },
    examples: [
      ['send', 'once, now'],
      ['send --watch --every 60', 'every minute, if you rarely push'],
      ['send --retry-rejected', 'after the organisers fixed a problem'],
    ],
    fails: 'some entries could not be sent',
  },
  status: {
    about: [
      'Shows for each tool whether it has our hooks, its last recorded event and events that never occurred; then entries waiting, sent and refused, and the result of the last send. Works offline.',
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
      'Reads the entries back from the logbook and compares them with those acknowledged here. Missing entries are sent again byte for byte, so nothing is duplicated.',
    ],
    flags: {
      'no-send': ['', 'compare only'],
      force: ['', 'resend even if the logbook has none of the acknowledged entries'],
    },
    examples: [
      ['verify', 'once before the end of the competition'],
      ['verify --no-send --json', 'for scripts'],
    ],
    fails: 'acknowledged entries are missing from the logbook and could not be resent',
  },
  logs: {
    about: [
      "Reads the team's entries back from the logbook and shows them by session and prompt: newest session first, each in chronological order. Times are in this machine's time zone.",
      'On a terminal, long texts are cut to its width and long output goes through $PAGER (less). In a pipe, output is plain and complete.',
    ],
    flags: {
      limit: ['<n>', 'maximum number of entries (default: 50)'],
      before: ['<time>', 'only entries before this ISO 8601 time, or the value printed by the last page'],
      event: ['<name>', 'only this event, such as Stop'],
      tool: ['<name>', 'only this tool: claude, cursor, codex, gemini, copilot or antigravity'],
      session: ['<id>', 'only sessions with an id that starts or ends with this'],
      full: ['', 'show full texts, including tool inputs and outputs'],
    },
    examples: [
      ['logs', 'the last 50 entries'],
      ['logs --tool claude --limit 200', 'more entries, from one tool'],
      ['logs --session 6f1c2f0e --full', 'one session in full'],
      ['logs --event UserPromptSubmit --json | jq -r .items[].prompt', 'only the prompts'],
    ],
    fails: 'the logbook is unreachable or refuses the request',
  },
  doctor: {
    about: [
      'Checks each part of the installation: the remote, the program, the git hook, the hooks and trust of each tool, the log token and the logbook; and what "connect" set up: the settings of each tool, the gateway key and the model.',
    ],
    flags: {
      test: ['', 'also run every hook once with the exact command of the tool, in a scratch folder'],
    },
    examples: [
      ['doctor --test', 'after "init", or when nothing is recorded'],
      ['doctor --json', 'for a report'],
    ],
    fails: 'something must be fixed',
  },
  uninstall: {
    about: [
      'Restores every file of this repository byte for byte, including those changed by "connect". From files that you changed since then, only our part is removed. User settings shared by all repositories are restored by "disconnect". Waiting entries and the token to send them are kept.',
    ],
    flags: {
      'dry-run': ['', 'show all changes as a diff and write nothing'],
      purge: ['', 'also remove recorded entries; refused while some are unsent'],
      force: ['', 'with --purge: discard unsent entries'],
      yes: ['', 'change files without asking'],
    },
    examples: [
      ['uninstall --dry-run', 'show what would change'],
      ['send && fairgate-recorder uninstall --purge', 'remove everything'],
    ],
    fails: 'a file was not changed, or entries would be lost',
  },
  hook: {
    about: [
      'Called by AI tools on each event, with the payload on standard input. It writes an entry to the git folder, prints nothing, uses no network and always exits with 0.',
      'You do not need to call it: "init" adds it to the settings of your tools, and "doctor --test" tests it.',
    ],
    flags: {},
    examples: [],
    fails: 'never: it always exits with 0 and logs failures to ~/.fairgate/recorder.log',
  },
} satisfies Readonly<Record<string, VerbHelp>>

/** The flags that every verb has. */
export const commonFlags: VerbHelp['flags'] = {
  json: ['', 'print JSON instead of text'],
  help: ['', 'show this page (-h)'],
}
