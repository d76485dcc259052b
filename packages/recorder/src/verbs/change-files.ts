// Shared by verbs that change files: selecting tools, confirmation, preview and result lines.
import { hideKey } from '../config/settings.ts'
import type { Refusal } from '../install/files/changes.ts'
import { writeDiff } from '../install/files/unified-diff.ts'
import type { Spool } from '../spool/spool.ts'
import { suggestWord } from '../terminal/suggest.ts'
import { UserFailure } from '../terminal/user-failure.ts'
import type { GivenArguments, VerbContext } from './verb.ts'

/** Splits the value of `--tools`. Throws UserFailure for a name that is not in `known`. */
export function splitToolNames(
  named: string,
  known: readonly string[],
  choice: readonly string[] = known,
): string[] {
  const names = named.split(',').map(name => name.trim().toLowerCase())
  const unknown = names.find(name => !known.includes(name))
  if (unknown === undefined) return names
  const meant = suggestWord(unknown, known)
  throw new UserFailure(
    `"${unknown}" is not a known tool.${meant === null ? '' : ` Did you mean "${meant}"?`} --tools takes "all" or some of ${choice.join(',')}.`,
    2,
  )
}

/** Asks only in an interactive terminal and if there is something to change. Throws UserFailure if the answer is no. */
export async function confirmChanges(
  { terminal, printError }: VerbContext,
  { yes }: GivenArguments['flags'],
  title: string,
  paths: readonly string[],
): Promise<void> {
  if (yes !== undefined || !terminal.isInteractive || paths.length === 0) return
  printError(`${title}:\n${paths.map(path => `  ${path}\n`).join('')}`)
  if (!/^(?:y|yes|)$/i.test(await terminal.ask('Continue? [Y/n] ')))
    throw new UserFailure('Nothing was changed.')
}

/** Returns one diff per file, with the stored gateway key hidden. */
export function writeDiffs(
  changes: readonly {
    readonly path: string
    readonly before: string | null
    readonly after: string | null
  }[],
  spool: Pick<Spool, 'files' | 'layout'>,
): string[] {
  return changes.map(({ path, before, after }) => hideKey(writeDiff(path, before, after), spool))
}

export function describeRefusal({ path, reason }: Refusal): string {
  return `LEFT AS IT IS  ${path}: ${reason}`
}
