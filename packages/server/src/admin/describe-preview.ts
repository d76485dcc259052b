// Answers acts that have a dry run: with what they made, or with what they would change.
import { previewReplySchema } from '@fairgate/contracts/management/planned-act.ts'
import Type, { type TSchema } from 'typebox'
import { type ActResult, buildPreview } from '../directory/planned-act.ts'

export const previewText =
  'With `dry_run` it answers what would change and changes nothing; the `preview_id` of that answer makes the act fail if it would do something else by then.'

/** The schema of an act's own reply, or of the answer to its dry run. */
export function orPreview<Reply extends TSchema>(reply: Reply) {
  return Type.Union([reply, previewReplySchema])
}

/** `moment`: the instant of the answer and the number of the directory's last change. `describe` writes the act's own reply. */
export async function answerAct<Made>(
  act: Promise<ActResult<Made>>,
  moment: () => { readonly as_of: string; readonly version: number },
  describe: (made: Made) => object | Promise<object>,
): Promise<object> {
  const { outcome, made } = await act
  return made === null ? { ...buildPreview(outcome), ...moment() } : await describe(made)
}
