// Connection recipe that makes an AI tool call models through the gateway. Each tool has one, consisting of data and pure functions.
import type { JsonExtra } from '../install/jsonc/jsonc.ts'
import type { Member } from '../install/jsonc/set-members.ts'
import type { Places, Signs } from '../install/settings/recipe.ts'

export type Gateway = {
  /** Without a slash at its end. */
  readonly url: string
  readonly key: string
  /** The model that the tools call. */
  readonly model: string
}

export type ConnectionPlaces = Places & {
  /** The file that holds the key alone, for tools that read a key from a file. */
  readonly keyFile: string
}

export type TomlValue = string | boolean | number | Readonly<Record<string, string | number>>

/** What one settings file must say. The paths are absolute. */
export type SettingsEdit = { readonly path: string; readonly holdsKey: boolean } & (
  | {
      readonly format: 'json'
      /** What the tool takes in this file besides JSON. With anything else it ignores the whole file, or does not start. */
      readonly accepts: readonly JsonExtra[]
      readonly members: readonly Member[]
    }
  /** Variables that the tool reads from a file. */
  | { readonly format: 'env'; readonly variables: Readonly<Record<string, string>> }
  | {
      readonly format: 'toml'
      /** Key of the root → value. A key of the user with the same name, or one of `retired`, is set aside. */
      readonly root: Readonly<Record<string, TomlValue>>
      readonly retired: readonly string[]
      /** Table → key → value. */
      readonly tables: Readonly<Record<string, Readonly<Record<string, TomlValue>>>>
      /** Tables in which a value of the user counts more than ours. */
      readonly optional: readonly string[]
    }
)

export type ConnectionRecipe = {
  readonly signs: Signs
  /** Empty for a tool that reads only variables of its process. */
  readonly edits: (gateway: Gateway, places: ConnectionPlaces) => readonly SettingsEdit[]
  /** What `fairgate-recorder run` adds to the environment of a program. */
  readonly variables: (gateway: Gateway) => Readonly<Record<string, string>>
  /** Variables that count more than the files. They must not be set to something else in the user's shell. */
  readonly stronger: readonly string[]
  /** What the user must know to use it with the gateway; null when nothing. */
  readonly note: string | null
}
