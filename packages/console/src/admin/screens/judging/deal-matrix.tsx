// Which judge has which team, how far each pair is, and what the next deal would change.
import type { JudgeItem } from '@fairgate/contracts/judging/panel.ts'
import type { JudgementRow } from '@fairgate/contracts/judging/scores.ts'
import type { JudgingSetup } from '@fairgate/contracts/judging/setup.ts'
import { countOf } from '../../../format/number.ts'
import { Card } from '../../../show/card.tsx'
import { ForeignName, ForeignText } from '../../../show/foreign.tsx'
import type { JudgedTeam } from './use-judged-teams.ts'

type Cell = 'none' | 'assigned' | 'begun' | 'done' | 'unable' | 'conflict' | 'coming' | 'leaving'

/** Each cell has a sign of its own, so that colour is not needed. */
const cells: Readonly<Record<Cell, { readonly sign: string; readonly words: string }>> = {
  none: { sign: '', words: '' },
  assigned: { sign: '○', words: 'to read' },
  begun: { sign: '◐', words: 'begun' },
  done: { sign: '●', words: 'done' },
  unable: { sign: '–', words: 'could not judge' },
  conflict: { sign: '×', words: 'conflict' },
  coming: { sign: '+', words: 'with the next deal' },
  leaving: { sign: '−', words: 'until the next deal' },
}
const legend = ['assigned', 'begun', 'done', 'unable', 'conflict', 'coming', 'leaving'] as const

export function DealMatrix({
  judges,
  teams,
  setup,
  judgements,
  proposed,
}: {
  readonly judges: readonly JudgeItem[]
  readonly teams: readonly JudgedTeam[]
  readonly setup: JudgingSetup
  /** By judge id and team id, separated by a space. */
  readonly judgements: ReadonlyMap<string, JudgementRow>
  /** Teams after the next deal, by the name of the judge, if it changes them. */
  readonly proposed: ReadonlyMap<string, readonly string[]>
}) {
  const calibration = setup.calibration_team ?? null
  const columns = judges.map(judge => ({
    judge,
    teams: new Set(judge.teams),
    next: proposed.has(judge.name) ? new Set(proposed.get(judge.name)) : null,
    conflicts: new Set(judge.conflicts.map(({ team_id }) => team_id)),
    tags: new Set(judge.tags.map(tag => tag.toLowerCase())),
  }))
  const cellOf = (
    { judge, teams: own, next, conflicts, tags }: (typeof columns)[number],
    team: string,
  ): Cell => {
    const state = judgements.get(`${judge.judge_id} ${team}`)?.state
    if (state === 'done' || state === 'unable' || state === 'begun') return state
    if (next !== null && team !== calibration && next.has(team) !== own.has(team))
      return next.has(team) ? 'coming' : 'leaving'
    if (own.has(team)) return 'assigned'
    const shared = setup.team_tags?.[team]?.some(tag => tags.has(tag.toLowerCase())) === true
    return conflicts.has(team) || shared ? 'conflict' : 'none'
  }
  return (
    <Card
      isFlush
      title="Judges and teams"
      note={`${countOf(judges.length, 'judge')}, ${countOf(teams.length, 'team')}`}
    >
      <p className="matrix-legend small muted" aria-hidden>
        {legend.map(cell => (
          <span key={cell} className="row nowrap">
            <span className="matrix-sign" data-cell={cell}>
              {cells[cell].sign}
            </span>
            {cells[cell].words}
          </span>
        ))}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard. */}
      <section className="matrix-frame" tabIndex={0} aria-label="Judges and teams">
        <table className="matrix">
          <caption className="hidden-text">Judges and teams</caption>
          <thead>
            <tr>
              <td />
              {columns.map(({ judge: { judge_id, name } }) => (
                <th key={judge_id} scope="col">
                  <span>
                    <ForeignText text={name} most={24} />
                  </span>
                </th>
              ))}
              <th scope="col" className="matrix-sum">
                Judges
              </th>
            </tr>
          </thead>
          <tbody>
            {teams.map(({ team_id, name, number, wanted }) => {
              const row = columns.map(column => cellOf(column, team_id))
              const count = row.filter(
                cell => !['none', 'conflict', 'leaving', 'unable'].includes(cell),
              ).length
              const isShort = team_id !== calibration && count < wanted
              return (
                <tr key={team_id} data-team={team_id}>
                  <th scope="row">
                    <span>
                      {number === null ? null : <span className="faint">{number} </span>}
                      <ForeignName name={name} most={28} />
                      {team_id === calibration ? <span className="muted small"> calibration</span> : null}
                    </span>
                  </th>
                  {row.map((cell, at) => {
                    const judge = columns[at]?.judge
                    const { sign, words } = cells[cell]
                    return (
                      <td
                        key={judge?.judge_id}
                        data-cell={cell}
                        title={cell === 'none' ? undefined : `${judge?.name}, ${name}: ${words}`}
                      >
                        <span aria-hidden>{sign}</span>
                        <span className="hidden-text">{words}</span>
                      </td>
                    )
                  })}
                  <td className={`matrix-sum ${isShort ? 'tone-warn strong' : ''}`}>
                    {count}
                    {isShort ? <span className="small"> of {wanted}</span> : null}
                  </td>
                </tr>
              )
            })}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">Teams</th>
              {columns.map(column => (
                <td key={column.judge.judge_id}>{(column.next ?? column.teams).size}</td>
              ))}
              <td className="matrix-sum" />
            </tr>
          </tfoot>
        </table>
      </section>
    </Card>
  )
}
