// Calculates how often each team can be judged in the time that the judges have, before anybody is invited. Pure arithmetic.

export type PanelSize = {
  readonly teams: number
  /** Minutes of each judge. */
  readonly minutes: readonly number[]
  readonly minutesPerTeam: number
  readonly judgesPerTeam: number
  /** True if all judges read one team first, apart from those that they are assigned. */
  readonly hasCalibration: boolean
}

export type CoveragePlan = {
  /** Teams to be assigned: all but the one for calibration. */
  readonly teams: number
  readonly judges: number
  /** Judgements that fit into the time of all judges; no judge judges a team twice. */
  readonly places: number
  /** True if every judge can judge every team. */
  readonly isFull: boolean
  /** Judgements that each team gets, at most one from each judge. */
  readonly judgementsPerTeam: number
  /** True if these are as many as were asked for. */
  readonly isEnough: boolean
  /** Minutes that each judge would need for as many as were asked for; null without judges, or if there are too few of them. */
  readonly minutesNeeded: number | null
  /** Judges needed with the median time of these; null if a judge cannot read a single team. */
  readonly judgesNeeded: number | null
}

export function planCoverage(size: PanelSize): CoveragePlan {
  const { minutes, minutesPerTeam, judgesPerTeam, hasCalibration } = size
  const teams = Math.max(0, size.teams - (hasCalibration ? 1 : 0))
  const judges = minutes.length
  const places = minutes.map(own => countPlaces(own, size))
  const fitting = places.map(own => Math.min(own, teams))
  const total = fitting.reduce((sum, own) => sum + own, 0)
  const judgementsPerTeam = teams === 0 ? 0 : Math.floor(total / teams)
  const share = judges === 0 ? 0 : Math.ceil((teams * judgesPerTeam) / judges)
  const usual = Math.min(places.toSorted((a, b) => a - b)[Math.floor(judges / 2)] ?? 0, teams)
  return {
    teams,
    judges,
    places: total,
    isFull: judges > 0 && fitting.every(own => own === teams),
    judgementsPerTeam,
    isEnough: judgementsPerTeam >= judgesPerTeam,
    minutesNeeded: judges < judgesPerTeam ? null : (share + (hasCalibration ? 1 : 0)) * minutesPerTeam,
    judgesNeeded: usual === 0 ? null : Math.max(judgesPerTeam, Math.ceil((teams * judgesPerTeam) / usual)),
  }
}

/** Teams that a judge can be assigned in this time, after the one for calibration. */
export function countPlaces(
  minutes: number,
  { minutesPerTeam, hasCalibration }: Pick<PanelSize, 'minutesPerTeam' | 'hasCalibration'>,
): number {
  return Math.max(0, Math.floor(minutes / minutesPerTeam) - (hasCalibration ? 1 : 0))
}
