// Separates the flags of a verb from its other arguments.
import { suggestWord } from '../terminal/suggest.ts'
import { UserFailure } from '../terminal/user-failure.ts'
import type { GivenArguments, Verb } from './verb.ts'
import { commonFlags } from './verb-help.ts'

/** Throws UserFailure with exit code 2. */
export function parseArguments(
  verb: Pick<Verb, 'help' | 'hidden' | 'maxPositionals' | 'passesOn'>,
  given: readonly string[],
): GivenArguments {
  const known = { ...verb.help.flags, ...commonFlags }
  const switches = [...(verb.hidden ?? []), ...Object.keys(known).filter(name => known[name]?.[0] === '')]
  const positionals: string[] = []
  const flags: Record<string, string> = {}
  for (let index = 0; index < given.length; index += 1) {
    const argument = given[index] === '-h' ? '--help' : (given[index] ?? '')
    const [, name = '', attached] = /^--([a-z-]+)(?:=(.*))?$/s.exec(argument) ?? []
    if (verb.passesOn === true && (!argument.startsWith('-') || argument === '--'))
      return { positionals: given.slice(argument === '--' ? index + 1 : index), flags }
    if (!argument.startsWith('-')) positionals.push(argument)
    else if (switches.includes(name)) flags[name] = requireNone(name, attached)
    else if (!Object.hasOwn(known, name))
      throw new UserFailure(describeUnknown(argument, Object.keys(known)), 2)
    else if (attached !== undefined) flags[name] = attached
    else {
      index += 1
      flags[name] = requireValue(name, given[index])
    }
  }
  const surplus = positionals[verb.maxPositionals ?? 0]
  if (surplus !== undefined) throw new UserFailure(`Unexpected argument ${surplus}.`, 2)
  return { positionals, flags }
}

function describeUnknown(argument: string, known: readonly string[]): string {
  const [flag = argument] = argument.split('=')
  const meant = suggestWord(flag.replace(/^-+/, ''), known)
  return `Unknown flag ${flag}.${meant === null ? '' : ` Did you mean --${meant}?`}`
}

function requireNone(name: string, attached: string | undefined): string {
  if (attached !== undefined) throw new UserFailure(`--${name} takes no value.`, 2)
  return ''
}

function requireValue(name: string, value: string | undefined): string {
  if (value === undefined || value.startsWith('--')) throw new UserFailure(`--${name} needs a value.`, 2)
  return value
}
