// One thing that `doctor` looked at.

export type Finding = {
  readonly name: string
  /** `failed`: entries are lost or not sent. `warning`: they may be. */
  readonly state: 'ok' | 'warning' | 'failed'
  readonly detail: string
}
