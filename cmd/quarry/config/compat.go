package config

import "fmt"

// osgrepPort is where osgrep's server listens unless somebody says where.
const osgrepPort = 4444

// Osgrep reports whether a server shall stand in for osgrep's.
func (s *Settings) Osgrep() bool { return s.Server.Compat == "osgrep" }

// osgrepSettings are what holds for such a server when nobody says anything else.
func osgrepSettings() Settings {
	s := Default()
	s.Server.Port = osgrepPort
	return s
}

func (s *Settings) checkCompat() error {
	if s.Server.Compat != "" && !s.Osgrep() {
		return fmt.Errorf("compat must be osgrep or nothing, not %q", s.Server.Compat)
	}
	return nil
}
