// Catalog for organisers: every model with its prices and limits, edits, and the changes made by a reload.
import Type, { type Static, type TSchema } from 'typebox'
import { strict } from './owner-fields.ts'
import { actionFields, actionQueryFields, previewReplySchema } from './planned-action.ts'

const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

const prices = Type.Record(Type.String(), Type.Number(), {
  description: 'Member of the catalog file → USD per million tokens, or per item',
})

export const catalogModelSchema = Type.Object({
  id: Type.String(),
  aliases: Type.Array(Type.String()),
  modality: Type.String(),
  upstream: Type.String(),
  upstream_id: Type.String(),
  fallbacks: Type.Array(Type.String(), { description: 'Models that may serve instead, in this order' }),
  context_limit: Type.Integer(),
  max_output: Type.Integer({ description: '0 for a model with output that is not counted in tokens' }),
  default_output_cap: Type.Integer(),
  typical_output: Type.Integer(),
  reasoning: Type.String(),
  image_tokens: Type.Record(Type.String(), Type.Integer()),
  image_sizes: Type.Record(Type.String(), Type.String()),
  prompt_overhead: Type.Integer(),
  voices: orNull(Type.Array(Type.String(), { description: 'null means any' })),
  formats: Type.Array(Type.String()),
  retires_on: orNull(Type.String()),
  rpm_limit: orNull(Type.Integer()),
  tpm_limit: orNull(Type.Integer()),
  price: prices,
  price_above: Type.Record(Type.String(), prices, {
    description: 'Prompt tokens → prices for calls with more prompt tokens than this',
  }),
})

export const catalogSchema = Type.Object({
  models: Type.Array(catalogModelSchema, {
    description: 'In file order; families last, listed by pattern',
  }),
})

const states = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description })

export const reloadCatalogQuerySchema = Type.Object(actionQueryFields)

const modelEditsSchema = Type.Record(
  Type.String({ minLength: 1, maxLength: 200 }),
  orNull(Type.Record(Type.String(), Type.Unknown())),
  {
    minProperties: 1,
    maxProperties: 100,
    description:
      'Id → members as in `config/models.yaml`. null removes a model or a member; `price` is merged member by member',
  },
)

export const editCatalogBodySchema = Type.Object(
  { models: modelEditsSchema, ...actionFields },
  {
    ...strict,
    examples: [{ models: { 'mm-2.5-flash': { price: { input: 0.4 }, rpm_limit: 300 } }, dry_run: true }],
  },
)

export const catalogReloadSchema = Type.Object({
  models: Type.Integer({ description: 'Number of models now' }),
  added: Type.Array(Type.String()),
  removed: Type.Array(Type.String()),
  changed: Type.Array(Type.String()),
  before: states('Id → old values of changed members; all members of a removed model'),
  after: states('Id → new values of changed members; all members of an added model'),
  warnings: Type.Array(
    Type.Object({
      team_id: Type.String(),
      key: orNull(Type.String({ description: 'SHA-256 of the key; null for the team itself' })),
      member: Type.String({ description: 'List that names the models' }),
      models: Type.Array(Type.String()),
    }),
    { description: 'Teams and keys that name models missing from the catalog' },
  ),
})

const edited = {
  file: Type.String({ description: 'The full file including the change' }),
  can_write: Type.Boolean({
    description:
      'Whether the server can write the file. It cannot write the one that ships with Fairgate, nor any file while other processes run. In that case save `file` and set `models_file` to it',
  }),
  undo: Type.Record(Type.String(), orNull(Type.Record(Type.String(), Type.Unknown())), {
    description: '`models` of an edit that undoes this one, except for comments of a removed model',
  }),
}
export const editCatalogPreviewSchema = Type.Object({ ...previewReplySchema.properties, ...edited })
export const editCatalogReplySchema = Type.Object({ ...catalogReloadSchema.properties, ...edited })

export type ModelEdits = Static<typeof modelEditsSchema>
export type EditCatalogBody = Static<typeof editCatalogBodySchema>
export type EditCatalogReply = Static<typeof editCatalogReplySchema>
export type EditCatalogPreview = Static<typeof editCatalogPreviewSchema>
export type CatalogModelRecord = Static<typeof catalogModelSchema>
export type CatalogList = Static<typeof catalogSchema>
export type CatalogReload = Static<typeof catalogReloadSchema>
