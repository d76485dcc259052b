// Formats times for replies.

/** Unix ms → ISO 8601 in UTC. */
export function isoTime(milliseconds: number): string
export function isoTime(milliseconds: number | null): string | null
export function isoTime(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString()
}
