// A planned change to one file. Planning touches nothing, so that a plan can be shown first.
import type { ToolName } from '../../tools/tool.ts'
import type { SetResult } from '../jsonc/set-members.ts'

/** How to undo a change in a file that others have changed since: by the tool's recipe, by its members, or by the marks around blocks. */
export type ChangeKind =
  | {
      readonly kind: 'settings'
      readonly tool: ToolName
      readonly added: readonly (readonly string[])[]
      /** In settings that several repositories share, the start script in this repository's commands. */
      readonly launcher?: string
    }
  /** `own`: the lines between the marks that do not name the recorder. Notes of older versions lack it, here and below. */
  | { readonly kind: 'block'; readonly own?: readonly string[] }
  /** Of the connection to the gateway: members of a JSON file. */
  | ({ readonly kind: 'members' } & Omit<SetResult, 'text'>)
  /** Of the connection to the gateway: lines of any other file. `own` as in `listsLine`. */
  | { readonly kind: 'lines'; readonly own?: readonly string[] }

export type PlannedChange = {
  readonly path: string
  /** null if there is no file yet. */
  readonly before: string | null
  readonly after: string
  /** The permissions of a new file. An existing one keeps its own and gets `addedMode`. */
  readonly mode: number
  /** Permission bits that the file must also have. */
  readonly addedMode?: number
  /** Nobody but the owner may read it from now on, because it holds a key. */
  readonly isPrivate?: boolean
  readonly how: ChangeKind
}

export const isChanged = ({ before, after }: PlannedChange): boolean => before !== after

/** A file that stays as it is, and why. */
export type Refusal = { readonly path: string; readonly reason: string }
