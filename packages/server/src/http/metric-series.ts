// The numbers behind a scrape, and Prometheus' text for them (version 0.0.4). Counting finds the numbers of the label values and adds:
// nothing is allocated for it, and labels are only written out when read.
import Type, { type Static } from 'typebox'

export type Metric = { readonly read: () => MetricFamily }

/** `name`: the family's, with `_bucket`, `_sum` or `_count` after it if needed. `labels`: as written between the braces. */
const sampleSchema = Type.Object({ name: Type.String(), labels: Type.String(), value: Type.Number() })

export const metricFamilySchema = Type.Object({
  name: Type.String(),
  help: Type.String(),
  type: Type.Enum(['counter', 'gauge', 'histogram']),
  samples: Type.Array(sampleSchema),
})

export type Sample = Static<typeof sampleSchema>

/** A metric with its figures at one moment, as plain data: processes send it to each other. */
export type MetricFamily = Static<typeof metricFamilySchema>

type Label = string | number

/** Figures for each combination of the values of up to three labels, in the order in which they were first seen. */
class Series<Figures> {
  readonly inOrder: { readonly labels: string; readonly figures: Figures }[] = []
  readonly #names: readonly string[]
  readonly #create: () => Figures
  readonly #found = new Map<Label, Map<Label, Map<Label, Figures>>>()

  constructor(names: readonly string[], create: () => Figures) {
    this.#names = names
    this.#create = create
    // Without labels there is one, whether or not anything was counted.
    if (names.length === 0) this.find('', '', '')
  }

  find(first: Label, second: Label, third: Label): Figures {
    return this.#found.get(first)?.get(second)?.get(third) ?? this.#add(first, second, third)
  }

  #add(first: Label, second: Label, third: Label): Figures {
    const seconds = this.#found.get(first) ?? new Map<Label, Map<Label, Figures>>()
    const thirds = seconds.get(second) ?? new Map<Label, Figures>()
    this.#found.set(first, seconds)
    seconds.set(second, thirds)
    const figures = this.#create()
    thirds.set(third, figures)
    const values = [first, second, third]
    const labels = this.#names.map((name, index) => writeLabel(name, values[index] ?? ''))
    this.inOrder.push({ labels: labels.join(','), figures })
    return figures
  }
}

export class Counter implements Metric {
  readonly #heading: Heading
  readonly #series: Series<{ sum: number }>

  constructor(name: string, help: string, labels: readonly string[]) {
    this.#heading = { name, help, type: 'counter' }
    this.#series = new Series(labels, () => ({ sum: 0 }))
  }

  add(amount: number, first: Label, second: Label = '', third: Label = ''): void {
    this.#series.find(first, second, third).sum += amount
  }

  read(): MetricFamily {
    const { name } = this.#heading
    const samples = this.#series.inOrder.map(({ labels, figures }) => ({ name, labels, value: figures.sum }))
    return { ...this.#heading, samples }
  }
}

type Distribution = {
  /** How many fell into each bucket, with those above the last bound at the end. */
  readonly counts: number[]
  sum: number
}

export class Histogram implements Metric {
  readonly #heading: Heading
  readonly #bounds: readonly number[]
  readonly #series: Series<Distribution>

  /** `bounds` are ascending. */
  constructor(name: string, help: string, bounds: readonly number[], labels: readonly string[] = []) {
    this.#heading = { name, help, type: 'histogram' }
    this.#bounds = bounds
    this.#series = new Series(labels, () => ({ counts: [...bounds, 0].map(() => 0), sum: 0 }))
  }

  observe(value: number, first: Label = '', second: Label = ''): void {
    const bounds = this.#bounds
    const distribution = this.#series.find(first, second, '')
    const { counts } = distribution
    let bucket = 0
    while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket += 1
    counts[bucket] = (counts[bucket] ?? 0) + 1
    distribution.sum += value
  }

  read(): MetricFamily {
    const samples = this.#series.inOrder.flatMap(({ labels, figures }) =>
      this.#readDistribution(labels, figures),
    )
    return { ...this.#heading, samples }
  }

  #readDistribution(labels: string, { counts, sum }: Distribution): Sample[] {
    const { name } = this.#heading
    let total = 0
    const buckets = counts.map((count, index) => {
      total += count
      const bound = writeLabel('le', this.#bounds[index] ?? '+Inf')
      return { name: `${name}_bucket`, labels: joinLabels(bound, labels), value: total }
    })
    return [
      ...buckets,
      { name: `${name}_sum`, labels, value: sum },
      { name: `${name}_count`, labels, value: total },
    ]
  }
}

/** A figure that is read on each scrape, or one for each value of its labels. Null: there is none at the moment, and no line. */
export class Gauge implements Metric {
  readonly #heading: Heading
  readonly #read: () => number | null | readonly Reading[]

  constructor(name: string, help: string, read: () => number | null | readonly Reading[]) {
    this.#heading = { name, help, type: 'gauge' }
    this.#read = read
  }

  read(): MetricFamily {
    const { name } = this.#heading
    const found = this.#read() ?? []
    const samples = (typeof found === 'number' ? [{ labels: {}, value: found }] : found).map(
      ({ labels, value }) => ({
        name,
        labels: Object.entries(labels)
          .map(label => writeLabel(...label))
          .join(','),
        value,
      }),
    )
    return { ...this.#heading, samples }
  }
}

/** `labels`: name → value, in output order. */
export type Reading = { readonly labels: Readonly<Record<string, string>>; readonly value: number }

type Heading = Omit<MetricFamily, 'samples'>

/** The text of a scrape. */
export function renderFamilies(families: readonly MetricFamily[]): string {
  return `${families.map(renderFamily).join('\n\n')}\n`
}

export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8'

function renderFamily({ name, help, type, samples }: MetricFamily): string {
  const lines = samples.map(sample =>
    sample.labels === ''
      ? `${sample.name} ${sample.value}`
      : `${sample.name}{${sample.labels}} ${sample.value}`,
  )
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join('\n')
}

/** The second may be empty. */
export function joinLabels(first: string, second: string): string {
  return second === '' ? first : `${first},${second}`
}

export function writeLabel(name: string, value: Label): string {
  const text = String(value).replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"')
  return `${name}="${text}"`
}
