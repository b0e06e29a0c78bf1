package secret

// keys returns the rules for keys that begin with a word of their service's.
func keys() []*rule {
	var all []*rule
	key := func(body class, least, most int, literals ...string) {
		for _, l := range literals {
			all = append(all, &rule{literal: l, body: body, least: least, most: most, mask: maskKey})
		}
	}
	// short is key for a word that is shorter than the filter's window: one rule for each
	// byte that may follow it.
	short := func(body class, least, most int, literal string) {
		for _, c := range []byte(wordBytes) {
			if body(c) {
				all = append(all, &rule{literal: literal + string(c), drop: 1, body: body, least: least, most: most, mask: maskKey})
			}
		}
	}
	slashed := func(b byte) bool { return dashed(b) || b == '/' }
	dotted := func(b byte) bool { return dashed(b) || b == '.' }
	percent := func(b byte) bool { return base64(b) || b == '%' }

	// Clouds
	key(capital, 16, 16, "AKIA", "ASIA", "ABIA", "ACCA")     // Amazon
	key(base64, 100, 160, "ABSK")                            // Amazon Bedrock
	key(dashed, 35, 35, "AIza")                              // Google
	key(dashed, 24, 40, "GOCSPX-")                           // Google
	key(dashed, 40, 2048, "ya29.")                           // Google
	key(percent, 40, 120, "sig=")                            // Azure, a shared access signature
	key(hex, 64, 64, "dop_v1_", "doo_v1_", "dor_v1_")        // DigitalOcean
	key(dashed, 32, 64, "HRKU-")                             // Heroku
	key(dashed, 24, 400, "tskey-auth-", "tskey-api-")        // Tailscale
	key(alnum, 32, 64, "LTAI")                               // Alibaba
	key(word, 32, 64, "pscale_tkn_", "pscale_pw_")           // PlanetScale
	key(hex, 32, 40, "sbp_")                                 // Supabase
	key(alnum, 36, 64, "nfp_")                               // Netlify
	key(base64, 64, 800, "fo1_", "fm2_")                     // Fly
	key(dotted, 24, 255, "hvs.", "hvb.", "hvr.")             // Vault
	key(alnum, 40, 64, "dp.pt.", "dp.st.", "dp.ct.")         // Doppler
	key(hex, 40, 40, "pul-")                                 // Pulumi
	key(alnum, 36, 36, "pnu_")                               // Prefect
	key(hex, 32, 36, "dapi")                                 // Databricks
	key(capital, 58, 58, "AGE-SECRET-KEY-1")                 // age
	key(dashed, 43, 43, "sha256~")                           // OpenShift
	key(dashed, 80, 110, "dt0c01.ST2EY72KQINMH574WMNVI7YN.") // Dynatrace

	// Code and packages
	key(alnum, 36, 255, "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "npm_") // GitHub, npm
	key(word, 60, 255, "github_pat_")
	key(dashed, 20, 255, "glpat-", "gldt-", "glrt-", "glptt-", "glsoat-", "glcbt-", "glimt-", "glft-", "glagent-", "gloas-", "glffct-")
	key(dashed, 50, 255, "pypi-AgE")
	key(hex, 48, 48, "rubygems_")
	key(dashed, 24, 64, "dckr_pat_", "dckr_oat_")
	key(alnum, 69, 69, "AKCp")     // Artifactory
	key(alnum, 50, 64, "cmVmdGtu") // Artifactory, a reference
	key(base64, 100, 400, "ATATT3", "ATCTT3", "ATBB")
	key(hex, 40, 64, "bkua_")                  // Buildkite
	key(word, 40, 80, "CCIPAT_")               // CircleCI
	key(word, 36, 64, "glsa_")                 // Grafana
	key(base64, 32, 400, "glc_", "sntrys_")    // Grafana, Sentry
	key(hex, 64, 64, "sntryu_")                // Sentry
	key(hex, 40, 100, "sgp_")                  // Sourcegraph
	key(capital, 26, 32, "NRAK-")              // New Relic
	key(hex, 32, 40, "NRII-", "NRJS-")         // New Relic
	key(alnum, 40, 48, "lin_api_")             // Linear
	key(alnum, 40, 60, "ntn_")                 // Notion
	key(dashed, 59, 70, "PMAK-")               // Postman
	key(dashed, 40, 60, "figd_")               // Figma
	key(word, 32, 64, "fio-u-", "rdme_xn8s9h") // Frame.io, ReadMe
	key(alnum, 32, 32, "aio_")                 // Adafruit

	// Messages and money
	key(dashed, 24, 255, "xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxc-", "xoxd-", "xapp-") // Slack
	key(func(b byte) bool { return alnum(b) || b == '/' }, 30, 80, "hooks.slack.com/services/")
	key(slashed, 60, 120, "discord.com/api/webhooks/", "discordapp.com/api/webhooks/")
	key(alnum, 20, 255, "sk_live_", "rk_live_", "sk_test_", "rk_test_") // Stripe
	key(base64, 24, 64, "whsec_")
	key(dashed, 22, 60, "sq0atp-", "sq0csp-")                // Square
	key(alnum, 54, 54, "EZAK", "EZTK")                       // EasyPost
	key(dashed, 32, 48, "FLWSECK-", "FLWSECK_TEST-")         // Flutterwave
	key(hex, 32, 32, "shpat_", "shpss_", "shpca_", "shppa_") // Shopify
	key(hex, 40, 40, "shippo_live_", "shippo_test_")
	key(dashed, 64, 90, "xkeysib-") // Brevo
	key(dotted, 40, 80, "tfp_")     // Typeform
	short(dotted, 60, 72, "SG.")    // SendGrid

	// Models
	key(dashed, 40, 2048, "sk-ant-", "sk-proj-", "sk-svcacct-", "sk-admin-", "sk-or-v1-") // Anthropic, OpenAI, OpenRouter
	key(alnum, 40, 64, "gsk_")                                                            // Groq
	key(alnum, 60, 100, "xai-")
	key(alnum, 40, 60, "pplx-")
	key(dashed, 50, 90, "nvapi-")
	key(alnum, 28, 40, "tvly-")
	short(alnum, 34, 40, "hf_") // Hugging Face
	short(alnum, 36, 40, "r8_") // Replicate
	return all
}

// maskTelegram masks what follows the number of a bot and a colon.
func maskTelegram(_ *rule, text []byte, i int) (n, end int) {
	from := i
	for from > 0 && digit(text[from-1]) && i-from < 12 {
		from--
	}
	to := run(text, i+1, dashed)
	if size := i - from; size < 8 || size > 10 || to-i != 36 || !alone(text, from) || !random(text[i+3:to]) {
		return 0, to
	}
	return 1, hide(text, i+1, to)
}

// maskMailchimp masks the 32 bytes before the name of a data centre.
func maskMailchimp(r *rule, text []byte, i int) (n, end int) {
	from := i - 32
	if from < 0 || run(text, from, hex) != i || !alone(text, from) || !random(text[from:i]) {
		return 0, i + len(r.literal)
	}
	hide(text, from, i)
	return 1, i + len(r.literal)
}

// maskMailgun masks a key whose word is a common one, where it stands alone.
func maskMailgun(r *rule, text []byte, i int) (n, end int) {
	from := i + len(r.literal)
	to := run(text, from, alnum)
	before := byte(' ')
	if i > 0 {
		before = text[i-1]
	}
	if to-from != 32 || run(text, from, hex) != to || before != '"' && before != '\'' && before != '=' && before != ':' || !random(text[from:to]) {
		return 0, to
	}
	return 1, hide(text, from, to)
}

// maskTerraform masks what follows the literal in the middle of a key of Terraform's cloud.
func maskTerraform(r *rule, text []byte, i int) (n, end int) {
	from := i + len(r.literal)
	to := run(text, from, dashed)
	if i < 14 || run(text, i-14, alnum) != i || to-from < 60 || !random(text[from:to]) {
		return 0, to
	}
	return 1, hide(text, from, to)
}
