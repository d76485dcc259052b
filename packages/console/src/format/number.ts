// Formats counts, shares and sizes for people.
import { groupThousands } from './money.ts'

/** Formats `12,345`, and from a million on `1.31 M`; show the exact value on hover then. */
export function formatCount(count: number): string {
  if (count < 1_000_000) return groupThousands(Math.round(count))
  return count < 1_000_000_000
    ? `${(Math.floor(count / 10_000) / 100).toFixed(2).replace(/\.?0+$/, '')} M`
    : `${(Math.floor(count / 10_000_000) / 100).toFixed(2).replace(/\.?0+$/, '')} G`
}

/** Formats `3.1 %`. Never `100 %` for less than all, never `0 %` for more than nothing; `–` if unknown. */
export function formatShare(share: number | null): string {
  if (share === null) return '–'
  if (share === 0) return '0 %'
  if (share === 1) return '100 %'
  const percent = share * 100
  if (percent < 0.1) return '< 0.1 %'
  return `${Math.min(Math.floor(percent * 10) / 10, 99.9)} %`
}

export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}

export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const power = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`
}
