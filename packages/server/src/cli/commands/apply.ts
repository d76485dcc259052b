// `fairgate apply event.yaml`: changes event, teams, members, their keys and phases to match a file, and shows the changes first.
import { dirname, resolve } from 'node:path'
import { applyReplySchema } from '@fairgate/contracts/management/event-file.ts'
import type { Command } from 'commander'
import { Value } from 'typebox/value'
import { parse } from 'yaml'
import { type ActionHooks, actionOptions } from '../actions.ts'
import { addCommand } from '../add-request.ts'
import type { CommandContext } from '../command-context.ts'
import { CommandFailure, refuseUsage } from '../command-failure.ts'
import type { OutputFile, ProgramDependencies } from '../dependencies.ts'
import { summariseChanges } from '../output/list-changes.ts'
import { openOutputFile } from '../output/write-stream.ts'

const help = `
Applying the same file again changes nothing. If any part of the file is wrong, nothing changes and the error names
the line. What the file does not name stays as it is. With --prune it goes: phases, limits and budgets are removed,
and teams are blocked (members stay).
Keys that the file gives to members are shown once: in the file of --secrets, one JSON object per line, or with
--json in the reply.
More than 30 changes are summed up by kind; --verbose shows each, and --json has all.

Examples:
  $ fairgate apply event.yaml --dry-run
  $ fairgate apply event.yaml
  $ fairgate apply event.yaml --secrets keys.jsonl
  $ fairgate apply event.yaml --prune --json`

export function addApplyCommand(program: Command, context: CommandContext): void {
  const { isJson, readTextFile, createFile, runAction } = context
  const read = async (path: string): Promise<string> => {
    try {
      return await readTextFile(path)
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error'
      throw new CommandFailure(1, `Cannot read ${path} (${code}).`)
    }
  }
  addCommand(
    program,
    {
      verb: 'apply',
      description: 'change event, teams, members and phases to match a file',
      arguments: [['<file>', 'YAML; docs/run-an-event.md describes it']],
      options: [
        ['--prune', 'remove what the file does not name'],
        ['--secrets <file>', 'write the keys that are created into this new file, which only you can read'],
        ['--verbose', 'show every change on its own line'],
        ...actionOptions,
      ],
      help,
    },
    async ({ prune, secrets, verbose, ...options }, path) => {
      const file = await read(path)
      const name = findMembersFile(file)
      // Its path is relative to the file that names it.
      const files = name === null ? undefined : { [name]: await read(resolve(dirname(path), name)) }
      await runAction({ post: '/event/apply', body: { file, files, prune } }, options, {
        ...keepSecrets(createFile, secrets, isJson()),
        ...(verbose === true ? {} : { list: summariseChanges }),
      })
    },
  )
}

/** Creates the file before the keys: keys that no one has seen are useless. */
function keepSecrets(
  createFile: ProgramDependencies['createFile'],
  path: unknown,
  isJson: boolean,
): ActionHooks {
  let output: OutputFile | null = null
  return {
    begin: async ({ changes }) => {
      const made = changes.filter(({ what, from }) => what === 'key' && from === null).length
      if (made === 0 || (isJson && path === undefined)) return
      if (typeof path !== 'string')
        throw refuseUsage(
          `the file creates ${made} ${made === 1 ? 'key' : 'keys'}, shown only once. Name a new file for them: --secrets keys.jsonl.`,
        )
      output = await openOutputFile({ createFile }, path, false, '')
    },
    end: async reply => {
      if (output === null) return
      const secrets = Value.Check(applyReplySchema, reply) ? reply.secrets : []
      if (secrets.length === 0) return await output.discard()
      const lines = secrets.map(secret => `${JSON.stringify(secret)}\n`)
      try {
        await output.write(new TextEncoder().encode(lines.join('')))
        await output.keep()
      } catch {
        const aliases = secrets.map(({ team_id, alias }) => `${team_id}/${alias}`).join(', ')
        throw new CommandFailure(
          1,
          `Applied the file, but cannot write ${path}: no one has seen the keys ${aliases}. Replace them with "fairgate key regenerate".`,
        )
      }
    },
  }
}

/** Null if the file names none. The server reports what is wrong with the file. */
function findMembersFile(text: string): string | null {
  try {
    const file: unknown = parse(text)
    const members = typeof file === 'object' && file !== null && 'members' in file ? file.members : null
    return typeof members === 'string' ? members : null
  } catch {
    return null
  }
}
