// A command that is one request to the admin door, written down as a row: what it takes, what it asks, how the reply reads.
import type { Command } from 'commander'
import type { Static, TSchema } from 'typebox'
import { dryRunOption, type PlainOptions, reasonOption, showAct } from './acts.ts'
import type { CommandContext } from './command-context.ts'
import type { AdminRequest } from './door/call-admin-door.ts'
import { addTeamFilter, chooseTeam, type TeamOption } from './options.ts'

type Row<Reply extends TSchema> = {
  readonly verb: string
  readonly description: string
  readonly reply: Reply
  /** The lines for people. */
  readonly describe: (reply: Static<Reply>) => string
}

export type RequestRow<Reply extends TSchema> = Row<Reply> & {
  /** The one argument, as commander writes it, and its description. */
  readonly argument: readonly [syntax: string, description: string]
  readonly request: (argument: string) => AdminRequest
}

export function addRequest<Reply extends TSchema>(
  group: Command,
  { show }: Pick<CommandContext, 'show'>,
  { verb, description, argument, request, reply, describe }: RequestRow<Reply>,
): void {
  group
    .command(verb)
    .description(description)
    .argument(...argument)
    .action((given: string) => show(request(given), reply, describe))
}

export type ActRow<Reply extends TSchema> = Row<Reply> & {
  readonly argument: readonly [syntax: string, description: string]
  readonly request: (argument: string) => Exclude<AdminRequest, { readonly get: string }>
}

/** An act that takes a reason and has a dry run. */
export function addAct<Reply extends TSchema>(
  group: Command,
  context: Pick<CommandContext, 'show'>,
  { verb, description, argument, request, reply, describe }: ActRow<Reply>,
): void {
  group
    .command(verb)
    .description(description)
    .argument(...argument)
    .option(...reasonOption)
    .option(...dryRunOption)
    .action((given: string, options: PlainOptions) =>
      showAct(context, request(given), options, reply, describe),
    )
}

export type ListRow<Reply extends TSchema> = Row<Reply> & {
  readonly request: (team: string | undefined) => AdminRequest
}

/** A list of what all teams have, or one team. */
export function addList<Reply extends TSchema>(
  group: Command,
  { show }: Pick<CommandContext, 'show'>,
  { verb, description, request, reply, describe }: ListRow<Reply>,
): void {
  addTeamFilter(group.command(verb))
    .description(description)
    .action(async (argument: string | undefined, options: TeamOption) => {
      await show(request(chooseTeam(argument, options)), reply, describe)
    })
}
