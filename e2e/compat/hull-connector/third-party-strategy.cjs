/** A way to sign in, for passport, as the packages of third parties bring it. */
class ThirdPartyStrategy {
  constructor(_options, verify) {
    this.name = "third-party";
    this.verify = verify;
  }

  authenticate(req, { callbackURL, state }) {
    const { code } = req.query;
    if (!code) {
      const query = new URLSearchParams({ redirect_uri: callbackURL, state });
      this.redirect(`https://third-party.example.com/authorize?${query}`);
      return;
    }
    this.verify(req, `token for ${code}`, undefined, { id: "somebody" }, (_error, account) => this.success(account));
  }
}

module.exports = { ThirdPartyStrategy };
