// Log probabilities of a text: the sandbox's tokens are four code points, each a little less likely than the last.

/** `avgLogprobs` and `logprobsResult` of a candidate; `top` alternatives for each token. */
export function buildLogprobs(text: string, top: number): object {
  const codePoints = Array.from(text)
  const tokens = Array.from({ length: Math.ceil(codePoints.length / 4) }, (_, index) =>
    codePoints.slice(index * 4, index * 4 + 4).join(''),
  )
  const chosenCandidates = tokens.map((token, index) => ({
    token,
    tokenId: index + 1,
    logProbability: -((index % 10) + 1) / 100,
  }))
  const sum = chosenCandidates.reduce((total, { logProbability }) => total + logProbability, 0)
  const topCandidates = chosenCandidates.map(chosen => ({
    candidates: Array.from({ length: top }, (_, rank) =>
      rank === 0
        ? chosen
        : { token: `alt${rank}`, tokenId: 10_000 + rank, logProbability: chosen.logProbability - rank },
    ),
  }))
  return {
    ...(tokens.length === 0 ? {} : { avgLogprobs: sum / tokens.length }),
    logprobsResult: { chosenCandidates, ...(top === 0 ? {} : { topCandidates }) },
  }
}
