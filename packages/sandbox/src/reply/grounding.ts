// Sources of an answer when the model was allowed to search or to read addresses.
import type { GenerateRequest } from '../read-request.ts'

/** Further members of the candidate; none without those tools. Segments are counted in bytes, as the vendor does. */
export function describeSources(request: GenerateRequest, text: string): object {
  const { isSearching, isReadingUrls } = request.tools
  if (!isSearching && !isReadingUrls) return {}
  return {
    ...(isSearching ? { groundingMetadata: ground(request.lastText, text) } : {}),
    ...(isReadingUrls ? { urlContextMetadata: { urlMetadata: readUrls(request.lastText) } } : {}),
  }
}

function ground(prompt: string, text: string): object {
  const query = prompt.replaceAll(/\s+/g, ' ').trim().slice(0, 60)
  const middle = text.indexOf('. ') < 0 ? text.length : text.indexOf('. ') + 1
  const segments = [text.slice(0, middle), text.slice(middle)].filter(segment => segment !== '')
  let endIndex = 0
  return {
    searchEntryPoint: { renderedContent: '<div class="container">Sandbox search</div>' },
    webSearchQueries: [query],
    groundingChunks: ['one', 'two'].map(name => ({
      web: { uri: `https://example.com/${name}`, title: `Source ${name}` },
    })),
    groundingSupports: segments.map((segment, index) => {
      const startIndex = endIndex
      endIndex += Buffer.byteLength(segment)
      return {
        segment: { ...(startIndex === 0 ? {} : { startIndex }), endIndex, text: segment },
        groundingChunkIndices: [index],
      }
    }),
  }
}

function readUrls(prompt: string): object[] {
  return (prompt.match(/https?:\/\/[^\s"'<>\])]+/g) ?? []).slice(0, 20).map(retrievedUrl => ({
    retrievedUrl,
    urlRetrievalStatus: 'URL_RETRIEVAL_STATUS_SUCCESS',
  }))
}
