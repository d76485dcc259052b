// What an installation means to do to one file. Plans are made without touching anything, so that they can be shown first.
import type { ToolName } from '../../tools/tool.ts'

/** How a change is undone in a file that others have changed since: by the tool's recipe, or by the marks around a block. */
export type ChangeKind =
  | {
      readonly kind: 'settings'
      readonly tool: ToolName
      readonly added: readonly (readonly string[])[]
      /** In settings that repositories share: the start script of this one's commands. */
      readonly launcher?: string
    }
  | { readonly kind: 'block' }

export type PlannedChange = {
  readonly path: string
  /** null: there is no file yet. */
  readonly before: string | null
  readonly after: string
  /** Permissions of a new file; one that is there keeps its own, with `addedMode`. */
  readonly mode: number
  /** Bits that the file must have besides. */
  readonly addedMode: number
  readonly how: ChangeKind
}

export const isChanged = ({ before, after }: PlannedChange): boolean => before !== after
