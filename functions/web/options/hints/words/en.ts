/** What a language says to explain an option: by the service's own English. */
const asTheyAre: Readonly<Record<string, string>> = {}

export default asTheyAre
