// An identity provider for tests: oidc-provider with a form that takes any name of an account and no password.
// Its configuration is one line of JSON on standard input; it says "ready" when it listens.

import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { Provider } from 'oidc-provider';

const [line] = await new Promise((resolve) => createInterface({ input: process.stdin }).once('line', (...given) => resolve(given)));
const { port, clientId, clientSecret, redirectUri, authMethod, accounts, keys, claimsInIdToken, algorithm } = JSON.parse(line);

const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [{
    client_id: clientId,
    client_secret: clientSecret,
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: authMethod,
    id_token_signed_response_alg: algorithm,
  }],
  jwks: { keys },
  cookies: { keys: ['of a test'] },
  pkce: { required: () => true },
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
  conformIdTokenClaims: !claimsInIdToken,
  features: { devInteractions: { enabled: false } },
  interactions: { url: (ctx, interaction) => `/login/${interaction.uid}` },
  findAccount: (ctx, id) => accounts[id] && { accountId: id, claims: () => ({ sub: id, ...accounts[id] }) },
});

async function logIn(request, response) {
  let body = '';
  for await (const part of request) body += part;
  const { params } = await provider.interactionDetails(request, response);
  const login = new URLSearchParams(body).get('login');
  if (!login) {
    return provider.interactionFinished(request, response, { error: 'access_denied' });
  }
  const grant = new provider.Grant({ accountId: login, clientId: params.client_id });
  grant.addOIDCScope(params.scope);
  const grantId = await grant.save();
  return provider.interactionFinished(request, response, { login: { accountId: login }, consent: { grantId } });
}

const answer = provider.callback();
const server = createServer((request, response) => {
  if (request.method === 'POST' && request.url.startsWith('/login/')) {
    logIn(request, response).catch((fault) => {
      response.statusCode = 500;
      response.end(String(fault));
    });
  } else if (request.url.startsWith('/login/')) {
    response.end('Who are you?');
  } else {
    answer(request, response);
  }
});
server.listen(port, '127.0.0.1', () => console.log('ready'));
