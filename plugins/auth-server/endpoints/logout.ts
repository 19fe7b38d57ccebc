import type { Log, Reply } from 'pegboard';
import { callerKey } from '../../kit/authority/ownerOf.ts';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import { isSame, newSecret, tag } from '../../kit/secrets/secrets.ts';
import type { BrowserPeople, BrowserPerson } from '../state/browserPeople.ts';
import type { PeopleSignIns } from '../state/peopleSignIns.ts';
import { formParameters } from '../web/oauthRoute.ts';
import type { OAuthEndpoint } from '../web/oauthRoute.ts';
import { Params } from '../web/params.ts';
import { toSignIn } from './browserSignIn.ts';
import { ALL, ALL_AND_PROVIDER, logoutPage, nothingEndedPage, signedOutPage } from './logoutPage.ts';
import { BROWSER_S } from './toProvider.ts';
import type { ProviderLeg } from './toProvider.ts';

const PATH = '/oauth/logout';
const SIGNED_OUT = '/oauth/signed-out';

/** `GET` and `POST /oauth/logout`: a person sees and ends their sign-ins here, and their session at the identity provider, which leads back
 *  to `GET /oauth/signed-out`. Source: https://openid.net/specs/openid-connect-rpinitiated-1_0.html */
export function logout(
  leg: ProviderLeg,
  people: BrowserPeople,
  signIns: PeopleSignIns,
  log: Log,
): readonly OAuthEndpoint[] {
  const { addresses, browsers, provider } = leg;
  const goTo = (location: string, headers: Reply['headers'] = {}): Reply => ({
    status: 303,
    headers: { location, ...headers },
  });
  return [
    {
      method: 'GET',
      path: PATH,
      isForBrowsers: true,
      handle: async ({ request }) => {
        const person = await people.find(request);
        if (person === undefined) return toSignIn(leg, request, PATH);
        const browser = browsers.give(request, BROWSER_S);
        const shown = logoutPage(person, await signIns.of(person), {
          address: addresses.at(PATH),
          proof: proofOf(browser.id, person),
          providerHost: provider.logoutAddress({}) && new URL(person.issuer).host,
        });
        return { ...shown, headers: { ...shown.headers, ...browser.headers } };
      },
    },
    {
      method: 'POST',
      path: PATH,
      isForBrowsers: true,
      handle: async (exchange) => {
        const { request } = exchange;
        const form = await formParameters(exchange);
        const [person, browser] = [await people.find(request), browsers.idOf(request)];
        const isShown =
          person !== undefined &&
          browser !== undefined &&
          isSame(form.get('proof') ?? '', proofOf(browser, person));
        if (!isShown) {
          const reason = 'logout-of-other-page';
          exchange.logRefusal(
            new OAuthError('access_denied', 'not the page that was shown', { status: 403, reason }),
          );
          return nothingEndedPage(addresses.at(PATH));
        }
        const end = form.need('end');
        const isAll = end === ALL || end === ALL_AND_PROVIDER;
        const meant = (await signIns.of(person)).map(({ id }) => id).filter((id) => isAll || id === end);
        for (const id of meant) await signIns.end(id);
        log.info('signed out in a browser', { signIns: meant });
        if (!isAll) return goTo(addresses.at(PATH));
        const back = addresses.at(SIGNED_OUT);
        const asked = {
          ...(person.idToken !== undefined && { id_token_hint: person.idToken }),
          post_logout_redirect_uri: back,
          state: tag(browser, SIGNED_OUT),
        };
        const atProvider = end === ALL_AND_PROVIDER ? provider.logoutAddress(asked) : undefined;
        return goTo(atProvider ?? back, await people.forget(request));
      },
    },
    {
      method: 'GET',
      path: SIGNED_OUT,
      isForBrowsers: true,
      handle: async ({ http, request }) => {
        const state = new Params(http.query).get('state');
        const isOwn =
          state === undefined || isSame(state, tag(browsers.idOf(request) ?? newSecret(), SIGNED_OUT));
        // It must not say so to a person who is not.
        return isOwn && (await people.find(request)) === undefined
          ? signedOutPage()
          : goTo(addresses.at(PATH));
      },
    },
  ];
}

/** What the form sends: it was shown in that browser, to that person. */
function proofOf(browser: string, person: BrowserPerson): string {
  return tag(browser, callerKey(person));
}
