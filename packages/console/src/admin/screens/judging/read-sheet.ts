// Reads what is typed from a sheet of paper: a team by number or name, a judge by the beginning of a name, and scores.

/** The only match, or those that fit what was typed. */
export type Match<Item> =
  | { readonly kind: 'one'; readonly item: Item }
  | { readonly kind: 'several' | 'none'; readonly items: readonly Item[] }

type Team = { readonly team_id: string; readonly name: string; readonly number: number | null }

/** A number is the one that judges know the team by. A whole id or name comes before the beginning of another one. */
export function findTeam<Item extends Team>(typed: string, teams: readonly Item[]): Match<Item> {
  const text = fold(typed)
  if (text === '') return { kind: 'none', items: [] }
  const exact = teams.filter(
    ({ team_id, name, number }) =>
      (number !== null && String(number) === text) || fold(team_id) === text || fold(name) === text,
  )
  return decide(exact.length > 0 ? exact : teams.filter(({ team_id, name }) => begins([name, team_id], text)))
}

/** By the beginning of any part of the name, such as "la" for Mira Lang. An empty text fits everybody. */
export function findJudge<Item extends { readonly name: string }>(
  typed: string,
  judges: readonly Item[],
): Match<Item> {
  const text = fold(typed)
  const exact = judges.filter(({ name }) => fold(name) === text)
  return decide(exact.length > 0 ? exact : judges.filter(({ name }) => begins([name], text)))
}

/** Null for an empty text, undefined for one that is no score. */
export function readScore(text: string, max: number): number | null | undefined {
  if (text.trim() === '') return null
  const score = /^\d{1,3}$/.test(text.trim()) ? Number(text) : Number.NaN
  return score <= max ? score : undefined
}

/** True if no more digits can follow, so that the next field gets the focus by itself. */
export function isWholeScore(text: string, max: number): boolean {
  const score = readScore(text, max)
  return typeof score === 'number' && (max < 10 || score * 10 > max)
}

/** `y` and `n`, as on the sheet. */
export function readGate(text: string): boolean | null | undefined {
  const word = fold(text)
  if (word === '') return null
  if (['y', 'yes', '1'].includes(word)) return true
  return ['n', 'no', '0'].includes(word) ? false : undefined
}

function decide<Item>(items: readonly Item[]): Match<Item> {
  const [item] = items
  if (item !== undefined && items.length === 1) return { kind: 'one', item }
  return { kind: items.length === 0 ? 'none' : 'several', items }
}

function begins(names: readonly string[], text: string): boolean {
  return names.some(name => {
    const folded = fold(name)
    return folded.startsWith(text) || folded.split(/[\s-]+/).some(word => word.startsWith(text))
  })
}

/** Accents are rarely typed from paper. */
function fold(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').trim().toLowerCase()
}
