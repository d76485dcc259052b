// Button that opens the dialog of the limit that refused a call.
import type { OrganiserCallItem } from '@fairgate/contracts/calls/call.ts'
import { Button } from '@mantine/core'
import { useState } from 'react'
import { readOf, useRead } from '../../../api/use-read.ts'
import { KeyLimitsDialog } from '../team/key-limits-dialog.tsx'
import type { TeamInfoReply } from '../team/overview-tab.tsx'
import { type ChosenLimit, type ChosenTeam, TeamActionDialog } from '../team/team-actions.tsx'
import { useTeamName } from '../teams/team-link.tsx'

const fields = {
  rpm_exceeded: 'rpm',
  tpm_exceeded: 'tpm',
  parallel_exceeded: 'parallel',
  budget_exceeded: 'budget',
  budget_held: 'budget',
} as const

export type LimitCall = Pick<
  OrganiserCallItem,
  'team_id' | 'key' | 'key_name' | 'model_asked' | 'model_served' | 'code' | 'refusal'
>

/** Renders nothing for service limits and deleted keys. */
export function RaiseLimit({ call, size = 'sm' }: { readonly call: LimitCall; readonly size?: 'xs' | 'sm' }) {
  const [isOpen, setOpen] = useState(false)
  const nameTeam = useTeamName()
  const { team_id: team, key, key_name, refusal, code } = call
  const field = fields[code as keyof typeof fields] ?? null
  const level = refusal?.level ?? ''
  const isOfKey = level.startsWith('key') && key_name !== null
  if (refusal === null || field === null || !(isOfKey || level.startsWith('team'))) return null
  const model = level.endsWith('_model') ? (call.model_served ?? call.model_asked) : null
  const close = () => setOpen(false)
  const teams = [{ id: team, name: nameTeam(team) }] as const
  // A phase may set the budget of all teams, so a single team gets more by a grant.
  const isGrant = !isOfKey && field === 'budget'
  return (
    <>
      <Button size={size} variant="default" onClick={() => setOpen(true)}>
        {isGrant ? 'Grant…' : 'Raise this limit…'}
      </Button>
      {!isOpen ? null : isOfKey ? (
        <KeyLimitsDialog token={key} model={model} field={field} onClose={close} />
      ) : isGrant ? (
        <TeamActionDialog action="grant" teams={teams} onClose={close} />
      ) : field === 'rpm' || field === 'tpm' ? (
        <RaiseForTeam team={teams[0]} field={field} model={model} onClose={close} />
      ) : null}
    </>
  )
}

/** Starts from the current limit, which may have changed since the refusal. */
function RaiseForTeam({
  team,
  field,
  model,
  onClose,
}: {
  readonly team: ChosenTeam
  readonly field: ChosenLimit['field']
  readonly model: string | null
  readonly onClose: () => void
}) {
  const read = useRead(readOf<TeamInfoReply>('/team/info', { team_id: team.id, detail: true }))
  if (read.data === undefined) return null
  const { metadata, rpm_limit, tpm_limit } = read.data.team_info
  const [limit, byModel] =
    field === 'rpm' ? [rpm_limit, metadata.model_rpm_limit] : [tpm_limit, metadata.model_tpm_limit]
  const value = String((model === null ? limit : byModel[model]) ?? '')
  return <TeamActionDialog action="limits" teams={[team]} limit={{ field, model, value }} onClose={onClose} />
}
