/** Labels, values and units of options, keyed by the service's English text, which is shown if there is no entry. */
const noTranslations: Readonly<Record<string, string>> = {}

export default { labels: noTranslations, values: noTranslations, units: noTranslations }
