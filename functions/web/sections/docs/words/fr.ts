import { pluralIn } from '../../../words/plural.ts'
import type en from './en.ts'

const plural = pluralIn('fr')

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  fromTerminal: 'Convertir un fichier depuis un terminal',
  title: 'Référence de l’API',
  events: 'Événements : webhooks, WebSockets, flux',
  errors: 'Erreurs',
  search: 'Rechercher une opération',
  found: (count) => plural(count, 'opération', 'opérations'),
  contents: 'Opérations',
  about: (name) => `Introduction : ${name}`,
  toAll: 'Toutes les opérations',
  command: 'Exemple de requête',
  parameters: 'Paramètres',
  requestBody: 'Corps de la requête',
  response: 'Réponse',
  example: 'Exemple de réponse',
  statusCodes: 'Codes de statut',
  field: 'Champ',
  type: 'Type',
  meaning: 'Description',
  status: 'Statut',
  required: 'obligatoire',
  nothing: 'Aucun.',
  locations: { path: 'chemin', query: 'requête', header: 'en-tête' },
  open: 'Aucune authentification requise.',
  openOr: (scopes) => `Aucune authentification requise ; les clés et les jetons ont besoin de ${scopes}.`,
  needs: (scopes) => `Nécessite ${scopes}.`,
  authentication: 'authentification',
  unreachable: 'La description de l’API n’a pas pu être chargée. Vérifiez votre connexion et réessayez.',
}

export default words
