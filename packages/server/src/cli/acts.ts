// Runs changes that reach many: asks for a preview, shows it, and then makes exactly that change.
import {
  type ActReply,
  actReplySchema,
  type PreviewReply,
  previewReplySchema,
} from '@fairgate/contracts/management/planned-act.ts'
import type { Static, TSchema } from 'typebox'
import type { DoorContext } from './command-context.ts'
import { CommandFailure } from './command-failure.ts'
import type { ProgramDependencies } from './dependencies.ts'
import type { AdminRequest } from './door/call-admin-door.ts'
import type { Fields } from './options.ts'
import { listChanges } from './output/list-changes.ts'

/** A change of the admin door that takes `dry_run` and `preview_id`. */
export type ActRequest = Extract<AdminRequest, { readonly body: object }>

/** Work that a command does around its change. */
export type ActHooks = {
  /** Called just before the change is requested. An error thrown here prevents it. */
  readonly begin: (preview: ActReply) => Promise<void>
  /** `reply`: null if the change failed. */
  readonly end: (reply: unknown) => Promise<void>
  /** Formats the changes for people. Default: one line each. */
  readonly list?: typeof listChanges
}

/** `options`: reason, `dry_run` and `yes`. */
export type RunAct = (request: ActRequest, options: Fields, hooks?: ActHooks) => Promise<void>

export const dryRunOption = ['--dry-run', 'show what would change; change nothing'] as const
export const reasonOption = ['--reason <text>', 'why, for the audit'] as const
export const actOptions = [
  reasonOption,
  ['--dry-run', 'show what would change and what it affects; change nothing'],
  ['--yes', 'do not ask for confirmation'],
] as const

/** A DELETE has in its query what others have in their body. */
export type PlainRequest = ActRequest | Extract<AdminRequest, { readonly delete: string }>

/** Makes a change whose own reply shows the result, or shows a preview of it. */
export async function showAct<Reply extends TSchema>(
  { show }: Pick<DoorContext, 'show'>,
  request: PlainRequest,
  { reason, dry_run: dryRun }: Fields,
  reply: Reply,
  describe: (reply: Static<Reply>) => string,
): Promise<void> {
  if (dryRun !== true) return await show(withMembers(request, { reason }), reply, describe)
  const preview = withMembers(request, { reason, dry_run: true })
  await show(preview, previewReplySchema, changes => describePreview(changes))
}

/** Warnings are confirmed by a person or by --yes; the request then carries the id of the preview that was shown. */
export function createRunAct({
  ask,
  print,
  writeError,
  confirm,
}: Pick<DoorContext, 'ask' | 'print'> & Pick<ProgramDependencies, 'writeError' | 'confirm'>): RunAct {
  return async (asked, { reason, dry_run: dryRun, yes }, hooks) => {
    const request = withBody(asked, { reason })
    const describe = (reply: ActReply): string => describeAct(reply, hooks?.list)
    const preview = await ask(withBody(request, { dry_run: true }), actReplySchema)
    if (dryRun === true || preview.changes.length === 0) {
      print(dryRun === true ? preview : { ...preview, applied: true }, describe)
      return
    }
    if (preview.warnings.length > 0 && yes !== true) {
      writeError(`${describe(preview)}\n`)
      const answer = await confirm('Continue? [y/N] ')
      if (answer === null) throw new CommandFailure(1, 'Nothing was changed. To go ahead, add --yes.')
      if (!answer) throw new CommandFailure(1, 'Nothing was changed.')
    }
    await hooks?.begin(preview)
    let reply: ActReply | null = null
    try {
      reply = await ask(withBody(request, { preview_id: preview.preview_id }), actReplySchema)
    } finally {
      await hooks?.end(reply)
    }
    print(reply, describe)
  }
}

function withMembers(request: PlainRequest, members: Fields): AdminRequest {
  return 'body' in request
    ? withBody(request, members)
    : { ...request, query: { ...request.query, ...members } }
}

function withBody(request: ActRequest, members: Fields): ActRequest {
  return { ...request, body: { ...request.body, ...members } }
}

function describeAct({ meets, ...act }: ActReply, list = listChanges): string {
  const changes = describePreview(act, list)
  return act.changes.length === 0
    ? changes
    : `${changes}\nAffects ${meets.teams} teams and ${meets.running_calls} running calls (${meets.open_streams} streams).`
}

export function describePreview({ applied, changes, warnings }: PreviewReply, list = listChanges): string {
  if (changes.length === 0) return 'No changes.'
  return [
    applied ? 'Done.' : 'This would change:',
    ...list(changes),
    ...warnings.map(warning => `warning: ${warning}`),
  ].join('\n')
}
