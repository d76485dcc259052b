// Dialogs for actions on one or many teams: grant, limits, lock and unlock boards, block and unblock. Each previews its effect.

import { useState } from 'react'
import { formatMoney, parseMoney } from '../../../format/money.ts'
import { countOf } from '../../../format/number.ts'
import { ActionDialog } from '../../../show/action-dialog.tsx'
import { unsaid } from '../../../show/call-change.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { TextField } from '../../../show/text-field.tsx'
import { readDollarsOrNone, readWholeOrNone } from './read-fields.ts'
import { restoreTeamLimits } from './restore-limits.ts'

export const teamActions = ['grant', 'limits', 'lock', 'unlock', 'block', 'unblock'] as const
export type TeamAction = (typeof teamActions)[number]

export function isTeamAction(text: string | undefined): text is TeamAction {
  return (teamActions as readonly (string | undefined)[]).includes(text)
}

export type ChosenTeam = { readonly id: string; readonly name: string }

type DialogProps = {
  readonly teams: readonly ChosenTeam[]
  readonly onClose: () => void
  readonly onDone?: () => void
  /** For the limits dialog: the limit to change. */
  readonly limit?: ChosenLimit
}

export type ChosenLimit = {
  readonly field: 'rpm' | 'tpm'
  /** Only the limits for this model; null for the limits over all models. */
  readonly model: string | null
  /** Initial value of the field. */
  readonly value: string
}

export function TeamActionDialog({ action, ...props }: DialogProps & { readonly action: TeamAction }) {
  if (action === 'grant') return <GrantDialog {...props} />
  if (action === 'limits') return <LimitsDialog {...props} />
  return <PlainDialog action={action} {...props} />
}

const plainActions = {
  lock: {
    verb: 'Lock',
    what: 'board',
    text: 'The logbook stops accepting entries. Reading still works, and laptops keep unsent entries.',
    undo: 'Unlock opens the boards again.',
  },
  unlock: {
    verb: 'Unlock',
    what: 'board',
    text: 'The logbook accepts entries again. Scheduled locks are removed.',
    undo: 'Lock closes the boards again.',
  },
  block: {
    verb: 'Block',
    what: 'team',
    text: 'All keys stop working at once. Running calls will finish. The logbook keeps accepting entries.',
    undo: 'Unblock lets the keys work again.',
  },
  unblock: {
    verb: 'Unblock',
    what: 'team',
    text: 'The keys work again. Keys that were blocked individually stay blocked.',
    undo: 'Block stops the keys again.',
  },
} as const

function PlainDialog({
  action,
  teams,
  onClose,
  onDone,
}: DialogProps & { readonly action: keyof typeof plainActions }) {
  const { verb, what, text, undo } = plainActions[action]
  const effect = teams.length === 1 ? verb : `${verb} ${countOf(teams.length, what)}`
  return (
    <ActionDialog
      title={<DialogTitle verb={what === 'board' ? `${verb} the board` : verb} teams={teams} />}
      request={{ method: 'POST', path: `/teams/${action}`, body: { teams: idsOf(teams) } }}
      verb={effect}
      isDanger={action === 'block'}
      {...(action === 'block' && teams.length > 1 ? { confirm: String(teams.length) } : {})}
      undo={undo}
      onClose={onClose}
      onDone={onDone}
    >
      <p>{text}</p>
    </ActionDialog>
  )
}

function GrantDialog({ teams, onClose, onDone }: DialogProps) {
  const [typed, setTyped] = useState('')
  const isLess = /^\s*[-−]/.test(typed)
  const amount = parseMoney(typed.replace(/^\s*[-−+]/, ''))
  const nano = amount === null || amount === 0 ? null : isLess ? -amount : amount
  const total = nano === null ? '' : formatMoney(Math.abs(nano) * teams.length, 'nearest')
  return (
    <ActionDialog
      title={<DialogTitle verb="Grant to" teams={teams} />}
      request={{
        method: 'POST',
        path: '/teams/grant',
        body: nano === null ? null : { teams: idsOf(teams), amount_nano: nano, ...unsaid },
      }}
      verb={nano === null ? 'Grant' : `${isLess ? 'Take back' : 'Grant'} ${total}`}
      undo="To undo, grant the opposite amount."
      onClose={onClose}
      onDone={onDone}
    >
      <TextField
        label={teams.length === 1 ? 'Amount' : 'Amount per team'}
        description="USD on top of the budget in the current period, such as 5 or 12.50. Use a negative amount to take money back."
        placeholder="5.00"
        value={typed}
        onChange={setTyped}
        error={
          typed !== '' && nano === null ? 'Enter an amount in dollars other than 0, such as 5 or 12.50' : null
        }
        inputMode="decimal"
        data-autofocus
      />
    </ActionDialog>
  )
}

/** Empty fields leave their limits unchanged. */
function LimitsDialog({ teams, limit, onClose, onDone }: DialogProps) {
  const model = limit?.model ?? null
  const [budget, setBudget] = useState('')
  const [rpm, setRpm] = useState(limit?.field === 'rpm' ? limit.value : '')
  const [tpm, setTpm] = useState(limit?.field === 'tpm' ? limit.value : '')
  const money = readDollarsOrNone(budget)
  const requests = readWholeOrNone(rpm)
  const tokens = readWholeOrNone(tpm)
  const isWrong = money === undefined || requests === undefined || tokens === undefined
  const body = {
    ...(money === undefined || budget.trim() === '' ? {} : { max_budget: money }),
    ...(requests === undefined || rpm.trim() === '' ? {} : nameLimit('rpm_limit', requests, model)),
    ...(tokens === undefined || tpm.trim() === '' ? {} : nameLimit('tpm_limit', tokens, model)),
  }
  return (
    <ActionDialog
      title={<DialogTitle verb="Limits of" teams={teams} />}
      request={{
        method: 'POST',
        path: '/teams/update',
        body: isWrong || Object.keys(body).length === 0 ? null : { teams: idsOf(teams), ...body },
      }}
      verb={teams.length === 1 ? 'Set limits' : `Set limits of ${countOf(teams.length, 'team')}`}
      takeBack={(_, changes) => restoreTeamLimits(changes)}
      onClose={onClose}
      onDone={onDone}
    >
      <p className="muted small">
        Leave a field empty to keep its limit. Enter “none” to remove it.{' '}
        {model === null ? (
          "To set limits by model, go to the team's page."
        ) : (
          <>
            These are the limits for <code>{model}</code>.
          </>
        )}
      </p>
      {model === null ? (
        <TextField
          label="Budget"
          description="USD per period, such as 25. To give more in the current period only, use a grant."
          placeholder="unchanged"
          value={budget}
          onChange={setBudget}
          error={money === undefined ? 'Enter an amount in dollars, such as 25, or none' : null}
          {...(limit === undefined ? { 'data-autofocus': true } : {})}
        />
      ) : null}
      <TextField
        label="Requests per minute"
        placeholder="unchanged"
        value={rpm}
        onChange={setRpm}
        error={requests === undefined ? 'Enter a whole number or none' : null}
        inputMode="numeric"
        {...(limit?.field === 'rpm' ? { 'data-autofocus': true } : {})}
      />
      <TextField
        label="Tokens per minute"
        placeholder="unchanged"
        value={tpm}
        onChange={setTpm}
        error={tokens === undefined ? 'Enter a whole number or none' : null}
        inputMode="numeric"
        {...(limit?.field === 'tpm' ? { 'data-autofocus': true } : {})}
      />
    </ActionDialog>
  )
}

/** Body of the update; `model` limits that model only. */
function nameLimit(member: 'rpm_limit' | 'tpm_limit', value: number | null, model: string | null) {
  return model === null ? { [member]: value } : { [`set_model_${member}`]: { [model]: value } }
}

function idsOf(teams: readonly ChosenTeam[]): readonly string[] {
  return teams.map(({ id }) => id)
}

function DialogTitle({ verb, teams }: { readonly verb: string; readonly teams: readonly ChosenTeam[] }) {
  const [first] = teams
  return teams.length === 1 && first !== undefined ? (
    <>
      {verb}
      {verb.startsWith('Lock') || verb.startsWith('Unlock') ? ' of' : ''}{' '}
      <ForeignText text={first.name} most={40} />
    </>
  ) : (
    <>
      {verb.replace('the board', 'the boards of')} {countOf(teams.length, 'team')}
    </>
  )
}
