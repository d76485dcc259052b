// A list of names with their values.
import type { ReactNode } from 'react'

export type Facts = readonly (readonly [name: string, value: ReactNode])[]

export function FactList({ facts }: { readonly facts: Facts }) {
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
