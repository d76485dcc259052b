// Reply to a paid call with `x-gateway-dry-run: 1`: its maximum cost, its hold, the remaining budgets and limits, and what would refuse it.
import Type, { type Static } from 'typebox'
import { integerOrNull, textOrNull } from './spend-members.ts'

const previewedWindow = Type.Union(
  [
    Type.Object({
      limit: Type.Integer(),
      remaining: Type.Integer(),
      reset_ms: Type.Integer({ description: 'Until the full limit is available again' }),
    }),
    Type.Null(),
  ],
  {
    description: 'Tightest window that applies; null if no limit applies or nothing is known yet',
  },
)

export const callPreviewSchema = Type.Object(
  {
    object: Type.Literal('call_preview'),
    model: Type.String({ description: 'Catalog id of the model' }),
    endpoint: Type.String({ description: 'Kind of call' }),
    would_run: Type.Boolean({ description: 'Whether it would be admitted now' }),
    estimate: Type.Object({
      cost_nano: Type.Integer({
        description: 'Maximum cost of the call as requested, in nano-dollars (1e-9 USD)',
      }),
      cost: Type.Number({ description: 'The same in USD' }),
      input_tokens: Type.Integer({ description: 'Input tokens reserved in the token windows (upper bound)' }),
      output_tokens: Type.Integer({ description: 'Output tokens reserved (upper bound)' }),
    }),
    hold: Type.Union(
      [
        Type.Object({
          cost_nano: Type.Integer({ description: 'Amount that would be held in the budgets while it runs' }),
          cost: Type.Number({ description: 'The same in USD' }),
          output_cap: integerOrNull('Output cap per choice in tokens; null for calls not priced by tokens'),
          reduced: Type.Boolean({ description: 'Whether the remaining budget reduces the cap' }),
        }),
        Type.Null(),
      ],
      { description: 'Null if the call would be refused' },
    ),
    budgets: Type.Array(
      Type.Object({
        level: Type.String({ description: 'Level of the budget' }),
        limit_nano: Type.Integer(),
        spent_nano: Type.Integer(),
        held_nano: Type.Integer({ description: 'Held for running calls' }),
        left_nano: Type.Integer({ description: 'Limit minus spend and holds' }),
        resets_at: textOrNull('When its period ends, ISO 8601 in UTC; null if never'),
      }),
      { description: 'All budgets that the call counts towards' },
    ),
    requests: previewedWindow,
    tokens: previewedWindow,
    refusal: Type.Union(
      [
        Type.Object({
          code: Type.String({ description: 'Error code that the call would return' }),
          message: Type.String(),
          level: Type.String({ description: 'Level of the limit' }),
          limit: Type.String({ description: 'The limit; USD for a budget' }),
          used: Type.String(),
          held: Type.String(),
          reset: textOrNull('When capacity is available again; null if waiting does not help'),
          may_be_counted: Type.Boolean({
            description:
              'true if only the upper bound of the input exceeds the limit: a real call would have the model count its input and might run',
          }),
        }),
        Type.Null(),
      ],
      { description: 'Limit that would refuse the call; null if it would run' },
    ),
  },
  {
    description:
      'With `x-gateway-dry-run: 1`: cost and hold of the call. No model is called, nothing is held or charged, and no slot is needed.',
  },
)

export type CallPreview = Static<typeof callPreviewSchema>
