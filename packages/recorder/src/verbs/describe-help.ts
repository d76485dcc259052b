// Builds the `--help` pages.
import { displayWidth, padText, wrapText } from '../terminal/display-width.ts'
import type { Line } from '../terminal/paint.ts'
import type { Verb } from './verb.ts'
import { commonFlags, type VerbHelp } from './verb-help.ts'

const program = 'fairgate-recorder'
const widest = 100
const margin = '  '

const groups: readonly (readonly [title: string, verbs: readonly string[]])[] = [
  ['SET UP', ['join', 'init', 'connect', 'doctor', 'disconnect', 'uninstall']],
  ['WORK', ['run']],
  ['LOOK', ['status', 'logs', 'verify']],
  ['SEND', ['send', 'push']],
]

export function describeCommand(verbs: Readonly<Record<string, Verb>>, width: number): Line[] {
  const others = Object.keys(verbs).filter(name => !groups.some(([, names]) => names.includes(name)))
  const all = others.length === 0 ? groups : [...groups, ['OTHERS', others] as const]
  const row = (name: string, text: string) => describeRow(name, text, 12, width)
  const wideRow = (name: string, text: string) => describeRow(name, text, 24, width)
  return [
    ['Records how a team works with AI tools and sends it to the logbook.'],
    [],
    [['strong', 'USAGE']],
    [`${margin}${program} <verb> [flags]`],
    ...all.flatMap(([title, names]): Line[] => [
      [],
      [['strong', title]],
      ...names.flatMap(name => row(name, verbs[name]?.summary ?? '')),
    ]),
    [],
    [['strong', 'CALLED BY AI TOOLS']],
    ...row('hook', '<tool> <event>: records one event; prints nothing and never fails'),
    [],
    [['strong', 'FLAGS']],
    ...wideRow('-h, --help', 'show the help of a verb, or this page'),
    ...wideRow('-v, --version', 'show the version'),
    ...wideRow('--json', 'every verb: print JSON instead of text'),
    [],
    [['strong', 'ENVIRONMENT']],
    ...wideRow('FAIRGATE_LOGBOOK_URL', 'logbook address for "init" without --url'),
    ...wideRow('FAIRGATE_GATEWAY_URL', 'gateway address for "connect" without --gateway'),
    ...wideRow('FAIRGATE_KEY', 'gateway key for "connect" in scripts'),
    ...wideRow('FAIRGATE_PUSH_SECONDS', 'max seconds a push waits for the logbook (default: 2)'),
    ...wideRow('NO_COLOR, PAGER', 'turn off colours; program for long pages'),
    [],
    [['strong', 'EXIT CODES']],
    ...row('0', 'done'),
    ...row('1', 'refused, or a check failed'),
    ...row('2', 'wrong usage'),
    [],
    [['strong', 'EXAMPLES']],
    ...describeExamples(
      [
        ['init --url https://logs.example.org', 'once in each repository'],
        ['connect --gateway https://gateway.example.org', 'connect the tools to the gateway'],
        ['doctor --test', 'is everything in place?'],
        ['logs --limit 20', "the team's latest entries"],
      ],
      width,
    ),
  ]
}

export function describeVerb({ usage, help }: Pick<Verb, 'usage' | 'help'>, width: number): Line[] {
  const flags = Object.entries({ ...help.flags, ...commonFlags })
  const labels = flags.map(([flag, [value]]) => `--${flag} ${value}`.trimEnd())
  const labelWidth = Math.max(...labels.map(displayWidth)) + 2
  return [
    ...help.about.flatMap((text, index): Line[] => [
      ...(index === 0 ? [] : [[]]),
      ...wrapText(text, Math.min(widest, width)).map((line): Line => [line]),
    ]),
    [],
    [['strong', 'USAGE']],
    [`${margin}${program} ${usage}`],
    [],
    [['strong', 'FLAGS']],
    ...flags.flatMap(([, [, text]], index) => describeRow(labels[index] ?? '', text, labelWidth, width)),
    ...(help.examples.length === 0 ? [] : [[], [['strong', 'EXAMPLES']] as const]),
    ...describeExamples(help.examples, width),
    [],
    [['strong', 'EXIT CODES']],
    ...describeRow('0', 'done', 3, width),
    ...describeRow('1', help.fails, 3, width),
    ...describeRow('2', 'wrong usage', 3, width),
  ]
}

function describeRow(label: string, text: string, labelWidth: number, width: number): Line[] {
  const begin = `${margin}${padText(label, labelWidth)}${label.length >= labelWidth ? '  ' : ''}`
  const room = Math.max(20, Math.min(widest, width) - displayWidth(begin))
  const [first = '', ...others] = wrapText(text, room)
  const indent = ' '.repeat(displayWidth(begin))
  return [[begin, first], ...others.map((line): Line => [indent, line])]
}

/** Each example has its purpose after it as a comment, or above it if not all of them fit. */
function describeExamples(examples: VerbHelp['examples'], width: number): Line[] {
  const lines = examples.map(([line]) => `${margin}$ ${program} ${line}`)
  const column = Math.max(...lines.map(displayWidth)) + 2
  const areBeside = examples.every(([, text]) => column + displayWidth(`# ${text}`) <= width)
  return examples.flatMap(([, text], index): Line[] => {
    const line = lines[index] ?? ''
    if (text === '') return [[line]]
    const comment = ['faint', `# ${text}`] as const
    return areBeside ? [[padText(line, column), comment]] : [[margin, comment], [line]]
  })
}
