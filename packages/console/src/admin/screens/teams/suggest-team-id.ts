// `Kimchi Kernel` → `kimchi-kernel`: an id that an organiser may take for a new team.

export function suggestTeamId(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 64)
}
