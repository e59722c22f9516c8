// No validator badge: it would send the document's address to another server.
SwaggerUIBundle({ url: '/v1/openapi.json', dom_id: '#reference', deepLinking: true, validatorUrl: null })
