// Finds the verb, runs it, and turns what it throws into a sentence and an exit code.
import { showJson, showText } from '@fairgate/contracts/text/show-hidden.ts'
import { UserFailure } from '../terminal/user-failure.ts'
import { verbs } from './list-verbs.ts'
import { parseArguments } from './parse-arguments.ts'
import type { Verb, VerbContext } from './verb.ts'

/** Never rejects. */
export async function runCommand(
  surroundings: VerbContext,
  [name, ...rest]: readonly string[],
): Promise<0 | 1 | 2> {
  // Whatever is printed may hold branches, prompts and messages of others.
  const show = rest.includes('--json') ? showJson : showText
  const context: VerbContext = {
    ...surroundings,
    print: text => surroundings.print(show(text)),
    printError: text => surroundings.printError(showText(text)),
  }
  if (name === undefined || name === '--help' || name === 'help') {
    context.print(describeCommand())
    return 0
  }
  if (name === '--version') {
    context.print(`${context.version}\n`)
    return 0
  }
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined
  if (verb === undefined) {
    context.printError(`fairgate-recorder: unknown verb "${name}". "fairgate-recorder --help" lists them.\n`)
    return 2
  }
  const exitCode = await runVerb(context, verb, rest)
  // Git would stop the push.
  return name === 'push' ? 0 : exitCode
}

async function runVerb(context: VerbContext, verb: Verb, rest: readonly string[]): Promise<0 | 1 | 2> {
  try {
    const given = parseArguments(verb, rest)
    if (given.flags.help !== undefined) {
      context.print(describeVerb(verb))
      return 0
    }
    return await (await verb.load())(context, given)
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    const hint = thrown instanceof UserFailure && thrown.exitCode === 2 ? ` Usage: ${verb.usage}` : ''
    context.printError(`fairgate-recorder: ${message}${hint}\n`)
    return thrown instanceof UserFailure ? thrown.exitCode : 1
  }
}

function describeVerb({ usage, summary, flags }: Verb): string {
  const names = [...Object.keys(flags).filter(flag => flag !== 'background'), 'json', 'help']
  return `fairgate-recorder ${usage}\n\n  ${summary}\n\nFlags: ${names.map(flag => `--${flag}`).join(', ')}\n`
}

function describeCommand(): string {
  const rows = Object.entries(verbs).map(([name, { summary }]) => `  ${name.padEnd(10)} ${summary}`)
  return [
    'fairgate-recorder: records how a team works with AI tools and sends it to the logbook.',
    '',
    'Usage: fairgate-recorder <verb> [flags]',
    '',
    ...rows,
    '  hook       <tool> <event>: what AI tools call; prints nothing and never fails',
    '',
    'Every verb takes --json and --help. --version prints the version.',
    'Exit codes: 0 done; 1 refused, or a check failed; 2 wrong usage.',
    '',
  ].join('\n')
}
