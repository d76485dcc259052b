// What a paid call answers with `x-gateway-dry-run: 1`: what it could cost at most, what it would hold, what is left, and what would refuse it.
import Type, { type Static } from 'typebox'
import { integerOrNull, textOrNull } from './spend-members.ts'

const previewedWindow = Type.Union(
  [
    Type.Object({
      limit: Type.Integer(),
      remaining: Type.Integer(),
      reset_ms: Type.Integer({ description: 'Until all of it is left again' }),
    }),
    Type.Null(),
  ],
  {
    description:
      'The tightest window that applies; null where no limit does, or where nothing is known of it yet',
  },
)

export const callPreviewSchema = Type.Object(
  {
    object: Type.Literal('call_preview'),
    model: Type.String({ description: 'The id of the model in the catalog' }),
    endpoint: Type.String({ description: 'What kind of call it is' }),
    would_run: Type.Boolean({ description: 'Whether it would be admitted now' }),
    estimate: Type.Object({
      cost_nano: Type.Integer({
        description: 'The most that the call can cost as it was asked, in nano-dollars (1e-9 USD)',
      }),
      cost: Type.Number({ description: 'The same in USD' }),
      input_tokens: Type.Integer({ description: 'What the token windows reserve for the input: a ceiling' }),
      output_tokens: Type.Integer({ description: 'The same for the output' }),
    }),
    hold: Type.Union(
      [
        Type.Object({
          cost_nano: Type.Integer({ description: 'What would be held of the budgets while it runs' }),
          cost: Type.Number({ description: 'The same in USD' }),
          output_cap: integerOrNull(
            'Output cap of one choice in tokens; null for calls that are not priced by tokens',
          ),
          reduced: Type.Boolean({ description: 'Whether the rest of the budget reduces the cap' }),
        }),
        Type.Null(),
      ],
      { description: 'Null when it would be refused' },
    ),
    budgets: Type.Array(
      Type.Object({
        level: Type.String({ description: 'Whose budget it is' }),
        limit_nano: Type.Integer(),
        spent_nano: Type.Integer(),
        held_nano: Type.Integer({ description: 'Held for running calls' }),
        left_nano: Type.Integer({ description: 'Limit less what is spent and held' }),
        resets_at: textOrNull('When its period ends, ISO 8601 in UTC; null when it never does'),
      }),
      { description: 'All budgets that the call counts in' },
    ),
    requests: previewedWindow,
    tokens: previewedWindow,
    refusal: Type.Union(
      [
        Type.Object({
          code: Type.String({ description: 'The code of the error that the call would be answered with' }),
          message: Type.String(),
          level: Type.String({ description: 'Whose limit it is' }),
          limit: Type.String({ description: 'The limit; USD for a budget' }),
          used: Type.String(),
          held: Type.String(),
          reset: textOrNull('When there is room again; null where waiting does not help'),
          may_be_counted: Type.Boolean({
            description:
              'True where only the ceiling of the input is too much: a real call would have the model count its input, and might run',
          }),
        }),
        Type.Null(),
      ],
      { description: 'The limit that would refuse the call; null when it would run' },
    ),
  },
  {
    description:
      'With `x-gateway-dry-run: 1`: what the call would cost and hold. No model is asked, nothing is taken or charged, and no slot is needed.',
  },
)

export type CallPreview = Static<typeof callPreviewSchema>
