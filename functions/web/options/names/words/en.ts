/**
 * What a language calls options, their values and units: by the service's own English, which is what stands there where
 * a language has nothing else, as for names of codecs.
 */
const asTheyAre: Readonly<Record<string, string>> = {}

export default { labels: asTheyAre, values: asTheyAre, units: asTheyAre }
