/**
 * Labels, values and units of options, by the service's own English, which is written for people and shown as it is
 * where there is no entry.
 */
const noTranslations: Readonly<Record<string, string>> = {}

export default { labels: noTranslations, values: noTranslations, units: noTranslations }
