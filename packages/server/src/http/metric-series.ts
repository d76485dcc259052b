// The numbers behind a scrape, and Prometheus' text for them (version 0.0.4). To count is to find the numbers of the labels' values and to
// add: nothing is made for it, and labels are written out only when somebody reads.

export type Metric = {
  /** Without the end of its last line. */
  readonly render: () => string
}

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

  render(): string {
    const { name } = this.#heading
    return write(
      this.#heading,
      this.#series.inOrder.map(({ labels, figures }) => writeSample(name, labels, figures.sum)),
    )
  }
}

type Distribution = {
  /** How many fell into each bucket, what is above the last bound at the end. */
  readonly counts: number[]
  sum: number
}

export class Histogram implements Metric {
  readonly #heading: Heading
  readonly #bounds: readonly number[]
  readonly #series: Series<Distribution>

  /** `bounds` ascend. */
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

  render(): string {
    const lines = this.#series.inOrder.flatMap(({ labels, figures }) =>
      this.#renderDistribution(labels, figures),
    )
    return write(this.#heading, lines)
  }

  #renderDistribution(labels: string, { counts, sum }: Distribution): string[] {
    const { name } = this.#heading
    let total = 0
    const buckets = counts.map((count, index) => {
      total += count
      const bound = writeLabel('le', this.#bounds[index] ?? '+Inf')
      return writeSample(`${name}_bucket`, labels === '' ? bound : `${bound},${labels}`, total)
    })
    return [...buckets, writeSample(`${name}_sum`, labels, sum), writeSample(`${name}_count`, labels, total)]
  }
}

/** A figure that is read when somebody asks for it. */
export class Gauge implements Metric {
  readonly #heading: Heading
  readonly #read: () => readonly Reading[]

  constructor(name: string, help: string, read: () => readonly Reading[]) {
    this.#heading = { name, help, type: 'gauge' }
    this.#read = read
  }

  render(): string {
    const { name } = this.#heading
    return write(
      this.#heading,
      this.#read().map(({ labels = [], value }) =>
        writeSample(name, labels.map(label => writeLabel(...label)).join(','), value),
      ),
    )
  }
}

export type Reading = {
  readonly labels?: readonly (readonly [name: string, value: string])[]
  readonly value: number
}

type Heading = { readonly name: string; readonly help: string; readonly type: string }

function write({ name, help, type }: Heading, samples: readonly string[]): string {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples].join('\n')
}

function writeSample(name: string, labels: string, value: number): string {
  return labels === '' ? `${name} ${value}` : `${name}{${labels}} ${value}`
}

function writeLabel(name: string, value: Label): string {
  const text = String(value).replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"')
  return `${name}="${text}"`
}
