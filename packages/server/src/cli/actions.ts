// Runs bulk changes: requests a preview, shows it, and then makes exactly that change.
import {
  type ActionReply,
  actionReplySchema,
  type PreviewReply,
  previewReplySchema,
} from '@fairgate/contracts/management/planned-action.ts'
import type { Static, TSchema } from 'typebox'
import type { DoorContext } from './command-context.ts'
import { CommandFailure } from './command-failure.ts'
import type { ProgramDependencies } from './dependencies.ts'
import type { AdminRequest } from './door/call-admin-door.ts'
import type { Fields } from './options.ts'
import { listChanges } from './output/list-changes.ts'

/** A change of the admin door that takes `dry_run` and `preview_id`. */
export type ActionRequest = Extract<AdminRequest, { readonly body: object }>

/** Work that a command does around its change. */
export type ActionHooks = {
  /** Called just before the change is requested. An error thrown here prevents it. */
  readonly begin: (preview: ActionReply) => Promise<void>
  /** `reply`: null if the change failed. */
  readonly end: (reply: unknown) => Promise<void>
  /** Formats the changes for people. Default: one line each. */
  readonly list?: typeof listChanges
}

/** `options`: reason, `dry_run` and `yes`. */
export type RunAction = (request: ActionRequest, options: Fields, hooks?: ActionHooks) => Promise<void>

export const dryRunOption = ['--dry-run', 'show what would change; change nothing'] as const
export const reasonOption = ['--reason <text>', 'why, for the audit'] as const
export const actionOptions = [
  reasonOption,
  ['--dry-run', 'show what would change and what it affects; change nothing'],
  ['--yes', 'do not ask for confirmation'],
] as const

/** A DELETE has in its query what others have in their body. */
export type PlainRequest = ActionRequest | Extract<AdminRequest, { readonly delete: string }>

/** Makes a change and shows its reply, or shows a preview of it. */
export async function showAction<Reply extends TSchema>(
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
export function createRunAction({
  ask,
  print,
  writeError,
  confirm,
}: Pick<DoorContext, 'ask' | 'print'> & Pick<ProgramDependencies, 'writeError' | 'confirm'>): RunAction {
  return async (asked, { reason, dry_run: dryRun, yes }, hooks) => {
    const request = withBody(asked, { reason })
    const describe = (reply: ActionReply): string => describeAction(reply, hooks?.list)
    const preview = await ask(withBody(request, { dry_run: true }), actionReplySchema)
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
    let reply: ActionReply | null = null
    try {
      reply = await ask(withBody(request, { preview_id: preview.preview_id }), actionReplySchema)
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

function withBody(request: ActionRequest, members: Fields): ActionRequest {
  return { ...request, body: { ...request.body, ...members } }
}

function describeAction({ meets, ...action }: ActionReply, list = listChanges): string {
  const changes = describePreview(action, list)
  return action.changes.length === 0
    ? changes
    : `${changes}\nAffects ${count(meets.teams, 'team')} and ${count(meets.running_calls, 'running call')} (${count(meets.open_streams, 'stream')}).`
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

export function describePreview({ applied, changes, warnings }: PreviewReply, list = listChanges): string {
  const warned = warnings.map(warning => `warning: ${warning}`)
  if (changes.length === 0) return ['No changes.', ...warned].join('\n')
  return [applied ? 'Done.' : 'This would change:', ...list(changes), ...warned].join('\n')
}
