// Finds a verb, runs it, and turns its errors into a sentence and an exit code.
import { showJson, showText } from '@fairgate/contracts/text/show-hidden.ts'
import { displayWidth, wrapText } from '../terminal/display-width.ts'
import { type Line, type Look, paintLine } from '../terminal/paint.ts'
import { suggestWord } from '../terminal/suggest.ts'
import { UserFailure } from '../terminal/user-failure.ts'
import { describeCommand, describeVerb } from './describe-help.ts'
import { verbs } from './list-verbs.ts'
import { parseArguments } from './parse-arguments.ts'
import type { Verb, VerbContext, VerbSurroundings } from './verb.ts'
import { verbHelp } from './verb-help.ts'

/** Never rejects. */
export async function runCommand(
  surroundings: VerbSurroundings,
  [name, ...rest]: readonly string[],
): Promise<number> {
  const context = createContext(surroundings, rest)
  if (name === undefined || name === '--help' || name === '-h' || name === 'help')
    return await showHelp(context, rest[0])
  if (name === '--version' || name === '-v') {
    context.print(`${context.version}\n`)
    return 0
  }
  const verb = findVerb(name)
  if (verb === null) {
    context.printError(`fairgate-recorder: ${describeUnknown(name)}\n`)
    return 2
  }
  const exitCode = await runVerb(context, name, verb, rest)
  // Git would stop the push.
  return name === 'push' ? 0 : exitCode
}

/** Anything printed may contain branches, prompts and messages from others. */
function createContext(surroundings: VerbSurroundings, rest: readonly string[]): VerbContext {
  const { screen } = surroundings
  const isJson = rest.includes('--json')
  const isDifference = rest.includes('--dry-run')
  const paint = (lines: readonly Line[]) =>
    lines.map(line => `${paintLine(line, screen.hasColor)}\n`).join('')
  return {
    ...surroundings,
    print: text => {
      if (isJson) surroundings.print(showJson(text))
      else if (!screen.isTerminal) surroundings.print(showText(text))
      else surroundings.print(paint(highlightPage(text, screen.width, isDifference)))
    },
    printError: text => surroundings.printError(showText(text)),
    showPage: async lines => await surroundings.showPage(paint(lines)),
  }
}

function findVerb(name: string): Verb | null {
  return (Object.hasOwn(verbs, name) ? verbs[name] : undefined) ?? null
}

function describeUnknown(name: string): string {
  const meant = suggestWord(name, [...Object.keys(verbs), 'help'])
  const guess = meant === null ? '' : ` Did you mean "${meant}"?`
  return `unknown verb "${name}".${guess} "fairgate-recorder --help" lists them.`
}

/** Users never run `hook` themselves, but can ask for help about it. */
const hook = { usage: 'hook <tool> <event>', help: verbHelp.hook }

async function showHelp(context: VerbContext, name: string | undefined): Promise<number> {
  const { width } = context.screen
  const isNone = name === undefined || name.startsWith('-')
  const verb = isNone ? null : name === 'hook' ? hook : findVerb(name)
  if (!isNone && verb === null) {
    context.printError(`fairgate-recorder: ${describeUnknown(name)}\n`)
    return 2
  }
  await context.showPage(isNone || verb === null ? describeCommand(verbs, width) : describeVerb(verb, width))
  return 0
}

async function runVerb(
  context: VerbContext,
  name: string,
  verb: Verb,
  rest: readonly string[],
): Promise<number> {
  try {
    const given = parseArguments(verb, rest)
    if (given.flags.help !== undefined) return await showHelp(context, name)
    return await (await verb.load())(context, given)
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    const isUsage = thrown instanceof UserFailure && thrown.exitCode === 2
    const hint = isUsage ? ` Usage: ${verb.usage}\n"fairgate-recorder ${name} --help" shows details.` : ''
    context.printError(`fairgate-recorder: ${message}${hint}\n`)
    return thrown instanceof UserFailure ? thrown.exitCode : 1
  }
}

/** The first matching pattern applies. Its last group is coloured. */
const rules: readonly (readonly [RegExp, Look])[] = [
  [/^()(ok|restored|changed|✓)(?= )/, 'good'],
  [/^()(warning|secret\?|would change|!)(?= )/, 'careful'],
  [/^()(failed|refused|LEFT AS IT IS|✗)(?= )/, 'bad'],
  [/^([a-z]+ +)(hooked)(?= {2})/, 'good'],
  [/^([a-z]+ +)(not trusted|switched off)(?= {2})/, 'careful'],
  [/^([a-z]+ +)(no hooks)(?= {2})/, 'faint'],
  [/^()(repository|logbook|entries|last send|tools|git|files|gateway|model)(?= {2})/, 'strong'],
  [/^()(Nothing prevents recording\.)$/, 'good'],
  [/^()(\d+ to fix\.)$/, 'bad'],
  [/^()(Left to do:)$/, 'strong'],
  [/^()(Nothing is left to do\.)$/, 'good'],
]

/** The same for the differences between files. */
const differenceRules: readonly (readonly [RegExp, Look])[] = [
  [/^()(\+\+\+.*|---.*)$/, 'strong'],
  [/^()(\+.*)$/, 'good'],
  [/^()(-.*)$/, 'bad'],
  [/^()(@@.*)$/, 'accent'],
]

/** `isDifference`: the page shows differences between files. Their lines are not broken. */
export function highlightPage(page: string, width: number, isDifference: boolean): Line[] {
  const lines = page.replace(/\n$/, '').split('\n')
  if (isDifference) return lines.map(line => highlightLine(line, [...differenceRules, ...rules]))
  return lines.flatMap(line => breakLine(line, width)).map(line => highlightLine(line, rules))
}

function highlightLine(line: string, known: readonly (readonly [RegExp, Look])[]): Line {
  for (const [pattern, look] of known) {
    const [, before, found] = pattern.exec(line) ?? []
    if (before !== undefined && found !== undefined)
      return [before, [look, found], line.slice(before.length + found.length)]
  }
  return [line]
}

const narrowest = 20

function breakLine(line: string, width: number): string[] {
  if (displayWidth(line) <= width) return [line]
  const columns = /^.*? {2,}(?=\S)(?:\S.*? {2,}(?=\S))*/.exec(line)?.[0] ?? ''
  const begin = displayWidth(columns) > width - narrowest ? '' : columns
  const [first = '', ...others] = wrapText(line.slice(begin.length), width - displayWidth(begin))
  return [begin + first, ...others.map(other => ' '.repeat(displayWidth(begin)) + other)]
}
