// Commands that are one request to the admin door, as rows: arguments and options, request, and how the reply is shown.
import { type Command, Option } from 'commander'
import type { Static, TSchema } from 'typebox'
import {
  type ActionRequest,
  actionOptions,
  dryRunOption,
  type PlainRequest,
  reasonOption,
  showAction,
} from './actions.ts'
import type { CommandContext } from './command-context.ts'
import type { AdminRequest } from './door/call-admin-door.ts'
import { addTeamFilter, chooseTeam, type Fields, readFields } from './options.ts'

/** Flags, description, parser of the text, and default value. */
export type OptionRow = readonly [
  flags: string,
  description: string,
  read?: (text: string, earlier: never) => unknown,
  preset?: unknown,
]

export type CommandRow = {
  readonly verb: string
  readonly description: string
  /** In commander's syntax, with descriptions. */
  readonly arguments?: readonly (readonly [syntax: string, description: string])[]
  /** For all teams, or for one named by an argument or an option: `team_id` of the fields. */
  readonly isOfTeams?: boolean
  readonly options?: readonly (Option | OptionRow)[]
  /** See `readFields`. */
  readonly names?: Readonly<Record<string, string>>
  readonly help?: string
}

/** `run` gets the options that were given, as members of a request, and the arguments. */
export function addCommand(
  group: Command,
  { verb, description, arguments: taken = [], isOfTeams = false, options = [], names, help = '' }: CommandRow,
  run: (fields: Fields, ...given: string[]) => Promise<void>,
): Command {
  const command = group.command(verb).description(description).addHelpText('after', help)
  if (isOfTeams) addTeamFilter(command)
  for (const argument of taken) command.argument(...argument)
  addOptions(command, options)
  return command.action(() => {
    if (!isOfTeams) return run(readFields(command.opts(), names), ...command.args)
    const { team, ...others } = command.opts<Fields & { readonly team?: string }>()
    return run({ team_id: chooseTeam(command.args[0], team), ...readFields(others, names) })
  })
}

export function addOptions(command: Command, options: readonly (Option | OptionRow)[]): void {
  for (const given of options) {
    if (given instanceof Option) command.addOption(given)
    else {
      const [flags, description, read, preset] = given
      const option = new Option(flags, description).default(preset)
      if (read !== undefined) option.argParser((text, earlier: unknown) => read(text, earlier as never))
      command.addOption(option)
    }
  }
}

type RequestRow<Reply extends TSchema, Request> = CommandRow & {
  readonly request: (fields: Fields, ...given: string[]) => Request
  readonly reply: Reply
  /** The lines for people. */
  readonly describe: (reply: Static<Reply>) => string
  /** For lists: the reply's member with the items. */
  readonly list?: string
}

export function addRequest<Reply extends TSchema>(
  group: Command,
  { show }: Pick<CommandContext, 'show'>,
  { request, reply, describe, list, ...row }: RequestRow<Reply, AdminRequest>,
): void {
  addCommand(group, row, (...given) => show(request(...given), reply, describe, list))
}

/** A change without warnings: it takes a reason and has a dry run. */
export function addAction<Reply extends TSchema>(
  group: Command,
  context: Pick<CommandContext, 'show'>,
  { request, reply, describe, options = [], ...row }: RequestRow<Reply, PlainRequest>,
): void {
  addCommand(
    group,
    { ...row, options: [...options, reasonOption, dryRunOption] },
    ({ reason, dry_run, ...fields }, ...given) =>
      showAction(context, request(fields, ...given), { reason, dry_run }, reply, describe),
  )
}

/** A change with warnings; it requests a preview first. */
export function addPlannedAction(
  group: Command,
  { runAction }: Pick<CommandContext, 'runAction'>,
  {
    request,
    options = [],
    ...row
  }: CommandRow & {
    readonly request: (fields: Fields, ...given: string[]) => ActionRequest | Promise<ActionRequest>
  },
): void {
  addCommand(
    group,
    { ...row, options: [...options, ...actionOptions] },
    async ({ reason, dry_run, yes, ...fields }, ...given) =>
      runAction(await request(fields, ...given), { reason, dry_run, yes }),
  )
}
