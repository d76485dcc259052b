// The colours of series. The order is that of the series of a chart, and the same meaning always has the same place.

export const seriesColors = [
  'var(--series-1)',
  'var(--series-2)',
  'var(--series-3)',
  'var(--series-4)',
  'var(--series-5)',
  'var(--series-other)',
] as const
