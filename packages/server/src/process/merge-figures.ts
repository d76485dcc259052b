// Merges the figures of multiple processes into one scrape, so that dashboards need not know how many there are.
import { joinLabels, type MetricFamily, type Sample, writeLabel } from '../http/metric-series.ts'

export type ProcessFigures = {
  /** The process's number, which is the label `process` of its gauges. */
  readonly number: number
  readonly families: readonly MetricFamily[]
  /** False for figures of an earlier scrape: their counts still hold, but gauges say nothing about now. */
  readonly isCurrent: boolean
}

/**
 * Sums counters and histograms; gauges stay separate. `ended`: the counts of processes that have ended, so that no sum ever falls. A
 * scraper would take a lower figure for a restart and count all of it again.
 */
export function mergeFigures(
  processes: readonly ProcessFigures[],
  ended: readonly MetricFamily[] = [],
): MetricFamily[] {
  const merged = new Map<string, Omit<MetricFamily, 'samples'> & { readonly samples: Map<string, Sample> }>()
  const add = (family: MetricFamily, { number, isCurrent }: Omit<ProcessFigures, 'families'>) => {
    const { name, help, type } = family
    const { samples } = merged.get(name) ?? { samples: new Map<string, Sample>() }
    merged.set(name, { name, help, type, samples })
    if (type === 'gauge' && !isCurrent) return
    for (const sample of family.samples) {
      const labels =
        type === 'gauge' ? joinLabels(writeLabel('process', number), sample.labels) : sample.labels
      const key = `${sample.name}{${labels}`
      samples.set(key, { name: sample.name, labels, value: sample.value + (samples.get(key)?.value ?? 0) })
    }
  }
  for (const process of processes) for (const family of process.families) add(family, process)
  for (const family of ended) add(family, { number: 0, isCurrent: false })
  return [...merged.values()].map(family => ({ ...family, samples: [...family.samples.values()] }))
}
